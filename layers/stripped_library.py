"""A shared library without what only debuggers read: its symbols, and the table of its sections.

Both lie behind what the loader maps, so the file is cut off there, whatever machine it is for.
Standard library only. Source of the format: System V Application Binary Interface, "Object Files".
"""

import struct

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, the low byte first
_SECTIONS_AT, _PROGRAMS_AT, _SECTION_COUNT_AT = 40, 32, 60
_HEADER_BYTES, _PROGRAM_BYTES = 64, 56


def stripped_library(library: bytes) -> bytes:
    """Return the library without them; what is no library of these machines, as it is."""
    if library[: len(_MAGIC)] != _MAGIC:
        return library
    [programs] = struct.unpack_from("<Q", library, _PROGRAMS_AT)
    size, count = struct.unpack_from("<HH", library, 54)
    if size != _PROGRAM_BYTES:
        return library
    ends = [_HEADER_BYTES, programs + size * count]
    for at in range(programs, programs + size * count, size):
        start, _, _, length = struct.unpack_from("<QQQQ", library, at + 8)
        ends.append(start + length)
    kept = bytearray(library[: max(ends)])
    struct.pack_into("<Q", kept, _SECTIONS_AT, 0)
    struct.pack_into("<HH", kept, _SECTION_COUNT_AT, 0, 0)
    return bytes(kept)
