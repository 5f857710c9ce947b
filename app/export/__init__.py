"""The static site: fetches its parts, packs the Python, draws each room once and writes the folder."""
