"""Keys of stored objects, ranged reads, and the TIFF format."""
