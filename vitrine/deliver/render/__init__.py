"""Renderers of what is no stored tile, the table of who takes what, and pools with admission."""
