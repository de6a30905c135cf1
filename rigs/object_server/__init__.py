"""A small S3 of our own over a directory: it counts what is read, is slow, and fails on demand."""
