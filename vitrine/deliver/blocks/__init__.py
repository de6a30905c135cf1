"""The block cache: objects of a store, read in aligned blocks into sparse local files."""
