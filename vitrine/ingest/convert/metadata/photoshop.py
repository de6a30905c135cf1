"""Photoshop's image resources, in which a JPEG keeps its IPTC.

Source: Adobe Photoshop File Formats Specification (2019), Image Resources Section.
"""

import struct

_SIGNATURE = b"Photoshop 3.0\0"
_RESOURCE = b"8BIM"
_IPTC_RESOURCE = 0x0404
_IPTC_MARKER = b"\x1c"


def split_photoshop(block: bytes) -> tuple[bytes, bytes]:
    """The IPTC in a block of resources, and the block without it; either may be empty.

    Bytes that are no resources stay in the second as they are.
    """
    rest = block.removeprefix(_SIGNATURE)
    if rest.startswith(_IPTC_MARKER):
        return rest, b""
    iptc, others = b"", b""
    while rest.startswith(_RESOURCE):
        resource, kind, data = _first(rest)
        if not resource:
            break
        if kind == _IPTC_RESOURCE and not iptc:
            iptc = data
        else:
            others += resource
        rest = rest[len(resource) :]
    return iptc, others + rest


def _first(block: bytes) -> tuple[bytes, int, bytes]:
    """The first resource whole, its number and its data; nothing when it is cut off."""
    start = len(_RESOURCE) + 2
    name_bytes = 1 + block[start] if start < len(block) else 1
    size_place = start + name_bytes + name_bytes % 2
    if size_place + 4 > len(block):
        return b"", 0, b""
    [kind] = struct.unpack_from(">H", block, len(_RESOURCE))
    [size] = struct.unpack_from(">I", block, size_place)
    end = size_place + 4 + size
    if end > len(block):
        return b"", 0, b""
    return block[: end + size % 2], kind, block[size_place + 4 : end]
