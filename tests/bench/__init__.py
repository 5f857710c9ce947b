"""Measurements, one JSON line a figure; ratios are taken within one run."""
