"""Cells of the map: half a degree wide and high, some 55 km on the equator."""

import math

PLACE = "place"
"""Beginning of the terms by which the index finds the objects of a cell."""
PER_DEGREE = 2
MAX_CELLS = 20_000
"""Cells that the map has at most, those with most objects first: 15 bytes each, before it is
compressed."""


def find_cell(longitude: float, latitude: float) -> str:
    """Return the name of a point's cell: how many it is east of 180 W and south of 90 N."""
    east = min(math.floor((longitude + 180) * PER_DEGREE), 360 * PER_DEGREE - 1)
    south = min(math.floor((90 - latitude) * PER_DEGREE), 180 * PER_DEGREE - 1)
    return f"{east}-{south}"
