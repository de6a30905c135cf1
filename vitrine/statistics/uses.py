"""What a request is a use of, by its path: a page, an image in a viewer, or a download."""

import re
import unicodedata
from typing import NamedTuple

from vitrine.errors import RequestError
from vitrine.iiif.address import INFORMATION
from vitrine.iiif.paths import DOWNLOAD, decode_segment
from vitrine.iiif.presentation.addresses import WHOLE_OBJECTS

OBJECT, COLLECTION, IMAGE = "object", "collection", "image"
"""Kinds of things that are used."""
VIEWED, OPENED, DOWNLOADED = "viewed", "opened", "downloaded"
"""Ways to use them: a page is read; an image is opened or looked at in parts; a file is taken."""
NO_LEVEL = -1
_PAGES = {"objects": OBJECT, "embed": OBJECT, "collections": COLLECTION}
_WHOLE = [[name] for name in WHOLE_OBJECTS]
_BOX = re.compile(r"(\d{1,9}),(\d{1,9}),(\d{1,9}),(\d{1,9})")
_SIZE = re.compile(r"\^?!?(\d{1,9})?,(\d{1,9})?")


class Use(NamedTuple):
    """What a request uses."""

    how: str
    kind: str
    identifier: str
    level: int = NO_LEVEL
    """Level of a part of an image: 0 at full resolution, 1 at half of it; NO_LEVEL for all else."""


def find_use(path: str) -> Use | None:
    """Return what a request for this path, as the client sent it, is a use of, None if of nothing.

    Not counted are pictures of a whole image, which stand in lists and pages; manifests; and the
    parts of pages.
    """
    segments = path.split("/")
    if len(segments) < 3:
        return None
    if segments[1] == "restricted" and "iiif" in segments[3:6]:
        # What stands before it is a right and, as a rule, a ticket.
        segments = ["", *segments[segments.index("iiif", 3) :]]
    kind = _PAGES.get(segments[1])
    if kind:
        return _named(VIEWED, kind, segments[2])
    if segments[1] == "presentation" and segments[2] == "3" and segments[4:] in _WHOLE:
        return _named(DOWNLOADED, OBJECT, segments[3])
    if segments[1] != "iiif" or len(segments) < 5 or segments[2] not in ("2", "3"):
        return None
    _, _, _, identifier, *parameters = segments
    if parameters == [INFORMATION]:
        return _named(OPENED, IMAGE, identifier)
    if parameters == [DOWNLOAD]:
        return _named(DOWNLOADED, IMAGE, identifier)
    if len(parameters) != 4:
        return None
    level = _level_of(parameters[0].replace("%2C", ","), parameters[1].replace("%2C", ","))
    return None if level is None else _named(OPENED, IMAGE, identifier, level)


def _named(how: str, kind: str, segment: str, level: int = NO_LEVEL) -> Use | None:
    try:
        identifier = unicodedata.normalize("NFC", decode_segment(segment))
    except RequestError:
        return None
    return Use(how, kind, identifier, level) if identifier else None


def _level_of(region: str, size: str) -> int | None:
    """Return the level of a part of an image, None for the whole of it."""
    box = _BOX.fullmatch(region)
    if not box:
        return 0 if region.startswith("pct:") else None
    sides = _SIZE.fullmatch(size)
    if not sides:
        return 0
    full, scaled = (box[3], sides[1]) if sides[1] else (box[4], sides[2])
    factor = (int(full) + int(scaled or 0) // 2) // int(scaled) if scaled and int(scaled) else 1
    return max(factor.bit_length() - 1, 0)
