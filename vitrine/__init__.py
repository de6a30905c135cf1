"""Vitrine: an image service for museums, libraries and archives."""

__version__ = "0.1.0"
