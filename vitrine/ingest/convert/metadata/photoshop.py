"""Photoshop's image resources, in which a JPEG keeps its IPTC.

Source: Adobe Photoshop File Formats Specification (2019), Image Resources Section.
"""

import struct
from collections.abc import Iterator

_SIGNATURE = b"Photoshop 3.0\0"
_RESOURCE = b"8BIM"
_IPTC_RESOURCE = 0x0404
_IPTC_MARKER = b"\x1c"


def split_photoshop(block: bytes) -> tuple[bytes, bytes]:
    """Return the IPTC in a block of resources, and the block without it; either may be empty.

    Bytes that are not resources stay in the second as they are.
    """
    rest = block.removeprefix(_SIGNATURE)
    if rest.startswith(_IPTC_MARKER):
        return rest, b""
    iptc, others = b"", b""
    while rest.startswith(_RESOURCE):
        resource, number, data = _split_first(rest)
        if not resource:
            break
        if number == _IPTC_RESOURCE and not iptc:
            iptc = data
        else:
            others += resource
        rest = rest[len(resource) :]
    return iptc, others + rest


def list_resources(block: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and data of each resource, up to the first that is damaged."""
    rest = block.removeprefix(_SIGNATURE)
    while rest.startswith(_RESOURCE):
        resource, number, data = _split_first(rest)
        if not resource:
            return
        yield number, data
        rest = rest[len(resource) :]


def _split_first(block: bytes) -> tuple[bytes, int, bytes]:
    """Return the whole first resource, its number and its data; empty if it is cut off."""
    start = len(_RESOURCE) + 2
    name_bytes = 1 + block[start] if start < len(block) else 1
    size_offset = start + name_bytes + name_bytes % 2
    if size_offset + 4 > len(block):
        return b"", 0, b""
    [number] = struct.unpack_from(">H", block, len(_RESOURCE))
    [size] = struct.unpack_from(">I", block, size_offset)
    end = size_offset + 4 + size
    if end > len(block):
        return b"", 0, b""
    return block[: end + size % 2], number, block[size_offset + 4 : end]
