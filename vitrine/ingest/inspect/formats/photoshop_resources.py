"""Photoshop's image resources, in which a Photoshop file and a JPEG keep their IPTC.

Source: Adobe Photoshop File Formats Specification (2019), Image Resources Section.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_SIGNATURE = b"Photoshop 3.0\0"
_RESOURCE = b"8BIM"
_IPTC_RESOURCE = 0x0404
_IPTC_MARKER = b"\x1c"
_MAX_RESOURCES = 10_000


def split_photoshop(block: bytes) -> tuple[bytes, bytes]:
    """Return the IPTC in a block of resources, and the block without it; either may be empty.

    Bytes that are not resources stay in the second as they are.
    """
    block = block.removeprefix(_SIGNATURE)
    if block.startswith(_IPTC_MARKER):
        return block, b""
    resources = _find_resources(block)
    for found in resources:
        if found.number == _IPTC_RESOURCE:
            return block[found.data], block[: found.start] + block[found.end :]
    return b"", block


def list_resources(block: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and data of each resource, up to the first that is damaged."""
    block = block.removeprefix(_SIGNATURE)
    for found in _find_resources(block):
        yield found.number, block[found.data]


def resources_are_whole(block: bytes) -> bool:
    """Return True if there is nothing but resources in the block of a Photoshop file."""
    end = max((found.end for found in _find_resources(block)), default=0)
    return not block[end:].strip(b"\0")


def pack_resource(number: int, data: bytes) -> bytes:
    """Return a resource without a name."""
    head = struct.pack(">HHI", number, 0, len(data))
    return _RESOURCE + head + data + bytes(len(data) % 2)


@dataclass(frozen=True)
class _PhotoshopResource:
    number: int
    start: int
    data: slice
    end: int


def _find_resources(block: bytes) -> list[_PhotoshopResource]:
    """Return where the resources are, up to the first that is damaged."""
    found: list[_PhotoshopResource] = []
    start = 0
    while block.startswith(_RESOURCE, start) and len(found) < _MAX_RESOURCES:
        name_at = start + len(_RESOURCE) + 2
        name_bytes = 1 + block[name_at] if name_at < len(block) else 1
        size_at = name_at + name_bytes + name_bytes % 2
        if size_at + 4 > len(block):
            break
        [number] = struct.unpack_from(">H", block, start + len(_RESOURCE))
        [size] = struct.unpack_from(">I", block, size_at)
        end = size_at + 4 + size
        if end > len(block):
            break
        data = slice(size_at + 4, end)
        found.append(_PhotoshopResource(number, start, data, min(end + size % 2, len(block))))
        start = end + size % 2
    return found
