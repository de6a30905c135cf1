"""TIFFs as programs of long ago or of special purposes write them: rare, but sound."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import tifffile

from tests.rigs.corpora.corpus_colours import eight, picture
from tests.rigs.corpora.corpus_master import MadeKind, tiff_kind

_CLEAR, _END, _CODE_BITS = 256, 257, 9
_LITERALS = 200
"""Between two clear codes: the table never grows beyond codes of 9 bits."""
_MASK_PAGE = 4


def old_lzw(data: bytes) -> bytes:
    """Encode bytes as LZW did before TIFF 6.0, from the lowest bit on; nothing gets smaller."""
    codes: list[int] = []
    for start in range(0, len(data), _LITERALS):
        codes += [_CLEAR, *data[start : start + _LITERALS]]
    bits = np.array([*codes, _END], "<u2")[:, None] >> np.arange(_CODE_BITS) & 1
    return np.packbits(bits.astype("u1").ravel(), bitorder="little").tobytes()


def _eight() -> Any:
    return eight(picture())


def _make_old_lzw(path: Path) -> None:
    pixels, rows = _eight(), 16
    height, width = pixels.shape[:2]
    parts = [old_lzw(pixels[top : top + rows].tobytes()) for top in range(0, height, rows)]
    positions = [8 + sum(map(len, parts[:number])) for number in range(len(parts))]
    arrays = 8 + sum(map(len, parts))
    arrays += arrays % 2
    counts, bits = arrays + 4 * len(parts), arrays + 8 * len(parts)
    fields = [
        *((256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, bits), (259, 3, 1, 5)),
        *((262, 3, 1, 2), (273, 4, len(parts), arrays), (277, 3, 1, 3), (278, 4, 1, rows)),
        (279, 4, len(parts), counts),
    ]
    body = (b"II*\0" + struct.pack("<I", bits + 6) + b"".join(parts)).ljust(arrays, b"\0")
    body += struct.pack(f"<{2 * len(parts)}I", *positions, *map(len, parts))
    body += struct.pack("<3HH", 8, 8, 8, len(fields))
    path.write_bytes(body + b"".join(struct.pack("<HHII", *f) for f in fields) + bytes(4))


def _make_sub_image(path: Path) -> None:
    """Write a thumbnail whose sub-image is the picture, as asset managers do."""
    with tifffile.TiffWriter(path) as writer:
        writer.write(_eight()[::4, ::4], photometric="rgb", subifds=1)
        writer.write(_eight(), photometric="rgb", compression="deflate", rowsperstrip=16)


def _with_mask(*, first: bool) -> MadeKind:
    def make(path: Path) -> None:
        mask = np.zeros(picture().shape[:2], bool)
        with tifffile.TiffWriter(path) as writer:
            if not first:
                writer.write(_eight(), photometric="rgb")
            writer.write(mask, photometric="mask", subfiletype=_MASK_PAGE)
            if first:
                writer.write(_eight(), photometric="rgb")

    name = "mask-first" if first else "mask-last"
    return MadeKind(name=name, suffix=".tif", make=make, expected=picture)


_LARGE: dict[str, Any] = {"photometric": "rgb", "tile": (1024, 1024)}

ODD_KINDS: tuple[MadeKind, ...] = (
    MadeKind(name="old-lzw", suffix=".tif", make=_make_old_lzw, expected=picture),
    MadeKind(name="sub-image", suffix=".tif", make=_make_sub_image, expected=picture),
    _with_mask(first=True),
    _with_mask(first=False),
    tiff_kind("tiles-larger-than-all", _eight, **_LARGE, compression="lzw", predictor=True),
    tiff_kind("tiles-larger-than-all-deflate", _eight, **_LARGE, compression="deflate"),
    tiff_kind("tiles-larger-than-all-jpeg", _eight, **_LARGE, compression="jpeg"),
    tiff_kind(
        "tiles-larger-than-all-planar",
        lambda: np.ascontiguousarray(np.moveaxis(_eight(), -1, 0)),
        **_LARGE,
        planarconfig="separate",
        compression="lzw",
    ),
    tiff_kind("tiles-long", _eight, photometric="rgb", tile=(16, 528), compression="lzw"),
    tiff_kind("tiles-high", _eight, photometric="rgb", tile=(528, 16), compression="deflate"),
)
