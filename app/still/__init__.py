"""Stills: a figure as SVG or PNG, drawn without a browser from the view of the live one."""

from app.still.still import Still, draw_spec, draw_still

__all__ = ["Still", "draw_spec", "draw_still"]
