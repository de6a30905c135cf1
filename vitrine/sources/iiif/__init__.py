"""Manifests and collections of others, versions 1 to 3, read as objects of ours."""
