"""Cells of the map: half a degree wide and high, some 55 km on the equator."""

import math

from vitrine.site.pages.strings import LANGUAGES, strings

CELL = "cell"
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


def describe_cell(cell: str) -> dict[str, str]:
    """Return the degrees between which a cell lies, by language."""
    east, south = (int(part) for part in cell.split("-"))
    is_north, is_east = south < 90 * PER_DEGREE, east >= 180 * PER_DEGREE
    latitude = _describe_span(south - 90 * PER_DEGREE)
    longitude = _describe_span(east - 180 * PER_DEGREE)
    return {
        language: f"{latitude} {t['north' if is_north else 'south']}, "
        f"{longitude} {t['east' if is_east else 'west']}"
        for language, t in ((one, strings(one)) for one in LANGUAGES)
    }


def _describe_span(cells: int) -> str:
    """Return the degrees of a cell; `cells` are those from the equator or from Greenwich to it."""
    edges = sorted((abs(cells), abs(cells + 1)))
    return "\u2013".join(
        f"{edge // PER_DEGREE}°" + ("30\u2032" if edge % PER_DEGREE else "") for edge in edges
    )
