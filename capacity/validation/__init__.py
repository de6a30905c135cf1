"""The simulator against theory, published studies and our own load tests."""
