"""Adapters of nginx, which plays the edge on one machine."""
