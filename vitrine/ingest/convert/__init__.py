"""Convert a master's pixels to an access master, and verify that they are the same picture."""
