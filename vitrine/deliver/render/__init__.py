"""Renderers of everything but stored tiles, the table that chooses one, and pools with limits."""
