"""Answers, and checks of them that are cheap enough for every one of a load."""

import json
import struct
from collections.abc import Mapping
from typing import NamedTuple

from loadtest.workload.target import INFO, PAGE, Target
from vitrine.iiif.format import FORMATS

_MEDIA_TYPES = {name: format_.media_type for name, format_ in FORMATS.items()}
_JSON = ("application/json", "application/ld+json")
_SOI, _EOI = b"\xff\xd8", b"\xff\xd9"
_MIN_PNG = 45
"""Signature, IHDR and IEND."""
_PNG, _IEND = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
# SOF0 to SOF15, without DHT, JPG and DAC, whose codes lie among them (ITU-T T.81, table B.1).
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_SHOWN = 120
_LEADING = (301, 302)
"""Statuses of a page that leads to another: an image's to the object that shows it."""


class Answer(NamedTuple):
    """The outcome of a request; `fault` is empty when the answer is what was requested."""

    target: Target
    seconds: float
    status: int
    bytes: int
    headers: Mapping[str, str]
    fault: str
    began: float = 0.0
    """On a monotonic clock, in seconds."""


def describe_network_fault(error: Exception) -> str:
    """Return the fault of a request that the network did not carry."""
    return f"{type(error).__name__}: {error}"


def find_fault(target: Target, status: int, headers: Mapping[str, str], body: bytes) -> str:
    """Return what is wrong with an answer, in a few words; "" if nothing is.

    Checked: status, Content-Length, Content-Type, the last bytes, and the size in the header of a
    JPEG or PNG; other formats are not inspected. `headers` have lower-case names.
    """
    if status != 200 and not (status in _LEADING and target.kind == PAGE):
        return f"status {status}: {body[:_SHOWN].decode('latin-1')}"
    length = headers.get("content-length")
    if length is not None and int(length) != len(body):
        return f"truncated: {len(body)} of {length} bytes"
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    name = target.path.rpartition(".")[2]
    if target.kind.endswith(INFO) or target.path.endswith("/info.json"):
        return _find_info_fault(target, media_type, body)
    expected = _MEDIA_TYPES.get(name, "")
    if expected and media_type != expected:
        return f"content type {media_type or 'not given'}, not {expected}"
    return _find_picture_fault(target, media_type, body)


def _find_info_fault(target: Target, media_type: str, body: bytes) -> str:
    if media_type not in _JSON:
        return f"content type {media_type or 'not given'}, not JSON"
    try:
        document = json.loads(body)
        size = document["width"], document["height"]
    except (ValueError, KeyError, TypeError):
        return "image information without width and height"
    image = target.image
    if image and size != (image.width, image.height):
        return f"says {size[0]} x {size[1]}, not {image.width} x {image.height} pixels"
    return ""


def _find_picture_fault(target: Target, media_type: str, body: bytes) -> str:
    if media_type == "image/jpeg":
        # Some encoders pad the file with zeros after its end.
        if not body.startswith(_SOI) or not body.rstrip(b"\0").endswith(_EOI):
            return "truncated: the JPEG has no end"
        size = jpeg_size(body)
    elif media_type == "image/png":
        header = body.startswith(_PNG) and body[12:16] == b"IHDR"
        if not header or len(body) < _MIN_PNG or not body.endswith(_IEND):
            return "truncated: the PNG has no end"
        size = struct.unpack_from(">II", body, 16)
    else:
        return "" if body else "no body"
    if size is None:
        return "the JPEG has no frame header"
    return find_size_fault(target, *size)


def find_size_fault(target: Target, width: int, height: int) -> str:
    """Return what is wrong with these dimensions in pixels, in a few words; "" if nothing is."""
    if not target.width:
        return ""
    leeway = 0 if target.exact else 1
    if abs(width - target.width) <= leeway and abs(height - target.height) <= leeway:
        return ""
    return f"is {width} x {height}, not {target.width} x {target.height} pixels"


def jpeg_size(body: bytes) -> tuple[int, int] | None:
    """Return width and height from the frame header (ITU-T T.81, B.2.2); None without one."""
    place, end = 2, len(body)
    while place + 9 <= end and body[place] == 0xFF:
        marker = body[place + 1]
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", body, place + 5)
            return width, height
        if marker == 0xFF:
            place += 1
        elif marker in _BARE:
            place += 2
        else:
            place += 2 + int.from_bytes(body[place + 2 : place + 4])
    return None
