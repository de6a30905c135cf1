"""Search inside an object: one compressed file of its words, read in few ranges."""
