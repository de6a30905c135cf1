"""Measures the edge: what of a viewer's requests reaches the origin."""
