"""Servers that tests and measurements start: an image task, a photo door, a faulty S3."""
