"""Photographs as masters, pyramids and uploads, for load tests, studies and drills."""
