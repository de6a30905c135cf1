"""Validate a master from its header, before any pixel is decoded, and open it for its pixels."""
