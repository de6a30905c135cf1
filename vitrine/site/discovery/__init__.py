"""Streams of changes, as the Change Discovery API 1.0 has them."""
