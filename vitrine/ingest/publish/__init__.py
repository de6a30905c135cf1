"""What follows for other identifiers and access masters when an image changes; curation."""
