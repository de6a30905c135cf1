"""Other pictures in a JPEG's file: those of a camera's series, and gain maps.

Sources: CIPA DC-007 (Multi-Picture Format), 5.2; Ultra HDR Image Format 1.1; ISO 21496-1.
"""

import struct
from collections.abc import Iterable

from vitrine.ingest.inspect.curator_notes import MasterNote, gain_map_left_out, pictures_left_out
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.reading import Bounds, TiffReader

_APP1, _APP2 = 0xE1, 0xE2
_INDEX = b"MPF\0"
_ENTRIES, _ENTRY = 0xB002, struct.Struct("<I12x")
_TYPE, _SMALLER_COPIES = 0xFFFFFF, frozenset({0x010001, 0x010002})
_GAIN_MAP_VERSION = b"urn:iso:std:iso:ts:21496:-1\0"
_GAIN_MAP_NAMESPACES = (b"http://ns.adobe.com/hdr-gain-map/", b"http://ns.apple.com/HDRGainMap/")
_BOUNDS = Bounds(pages=1, value_bytes=64 << 10, total_bytes=128 << 10)


def note_other_pictures(segments: Iterable[tuple[int, bytes]]) -> tuple[MasterNote, ...]:
    """Return notes about what markers and payloads say of other pictures in the file."""
    others, gain_map = 0, False
    for marker, payload in segments:
        if marker == _APP2 and payload.startswith(_INDEX):
            others = _count_others(payload.removeprefix(_INDEX))
        else:
            gain_map |= _describes_gain_map(marker, payload)
    notes: tuple[MasterNote, ...] = (gain_map_left_out("JPEG"),) if gain_map else ()
    # A gain map is one of the pictures.
    if others > gain_map:
        notes += (pictures_left_out(f"{others - gain_map} of {others + 1}"),)
    return notes


def _describes_gain_map(marker: int, payload: bytes) -> bool:
    if marker == _APP2:
        return payload.startswith(_GAIN_MAP_VERSION)
    return marker == _APP1 and any(name in payload for name in _GAIN_MAP_NAMESPACES)


def _count_others(index: bytes) -> int:
    """Return the pictures behind the first one that are no smaller copies of it; 0 if damaged."""
    try:
        reader = TiffReader(lambda at, length: index[at : at + length], len(index), _BOUNDS)
        entries = reader.first_page().entry(_ENTRIES).data
    except (MalformedTiff, KeyError):
        return 0
    if reader.big_endian:
        # Of bytes to the reader, the entries keep the order of the file.
        entries = b"".join(entries[at : at + 4][::-1] for at in range(0, len(entries), 4))
    whole = len(entries) // _ENTRY.size * _ENTRY.size
    types = [attributes & _TYPE for (attributes,) in _ENTRY.iter_unpack(entries[:whole])]
    return sum(kind not in _SMALLER_COPIES for kind in types[1:])
