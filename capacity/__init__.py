"""Capacity: queueing models of image services, checked against theory and published studies."""
