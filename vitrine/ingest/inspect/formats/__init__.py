"""The picture in a master, read from the header by our own readers, one or more per format."""
