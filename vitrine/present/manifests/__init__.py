"""Manifests and collections of the Presentation API 3.0 and 2.1, made from records."""
