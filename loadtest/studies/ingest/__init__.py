"""How fast masters become images, end to end, and what of it is not conversion."""
