"""Places as tables write them: latitude and longitude in degrees."""

import re

from vitrine.iiif.presentation.model import Place

_DEGREES = re.compile(r"[+-]?[0-9]{1,3}(?:[.,][0-9]{1,15})?")


def find_place(latitude: str, longitude: str) -> Place | None:
    """Return the place of these texts; None if they are no degrees, or both 0, as an empty cell."""
    if not (_DEGREES.fullmatch(latitude) and _DEGREES.fullmatch(longitude)):
        return None
    north, east = (float(text.replace(",", ".")) for text in (latitude, longitude))
    is_there = abs(north) <= 90 and abs(east) <= 180 and (north or east)
    return Place(latitude=north, longitude=east) if is_there else None


def is_degrees(text: str) -> bool:
    """Return True if a text can be a latitude or longitude."""
    return bool(_DEGREES.fullmatch(text)) and abs(float(text.replace(",", "."))) <= 180
