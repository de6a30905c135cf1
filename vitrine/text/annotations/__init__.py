"""Annotations of a canvas that are not its text: comments, tags and others (docs/adr/0038)."""
