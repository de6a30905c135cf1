"""Invalidate: the edge forgets what it keeps of an image that changed."""
