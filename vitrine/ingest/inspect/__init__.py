"""Validate a master from its header, before any pixel is decoded."""
