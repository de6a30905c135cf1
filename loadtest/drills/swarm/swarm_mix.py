"""What a swarm asks for, and how much of each."""

FULL, COLD, COLD_FULL, UNKNOWN = "full size", "cold", "cold full size", "unknown"
WEIGHTS = {FULL: 0.3, COLD: 0.2, COLD_FULL: 0.2, UNKNOWN: 0.3}
"""Full-size renders of images that are open, small and full-size ones of images that are not, and
names that no image has. In a museum's log 27 % were full images (../adr/0026)."""
MAX_PIXELS = 24_000_000
MARGIN = 400
"""Pixels that a region may leave out at its left and top: 160,000 regions of each image."""
SMALL = (600, 1_900)
"""Least and most pixels across of a small render, whatever sizes are listed."""
