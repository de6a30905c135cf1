"""The photo door: a photograph in; thumbnails, metadata and a zoomable address out."""
