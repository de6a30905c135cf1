"""JPEG 2000 masters: codestreams by OpenJPEG and OpenJPH, in JP2 boxes of our own making."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np

from tests.rigs.corpora.corpus_colours import eight, picture, sixteen
from tests.rigs.corpora.corpus_master import MadeKind, luminance, neutral, on_white, transparency

_SIGNATURE = b"\0\0\0\x0cjP  \r\n\x87\n"


def box(name: bytes, *contents: bytes) -> bytes:
    """Return a box of a JP2 file. Source: ISO/IEC 15444-1, I.4."""
    body = b"".join(contents)
    return struct.pack(">I4s", len(body) + 8, name) + body


def enumerated(space: int) -> bytes:
    """Return the box that names a colour space: 16 sRGB, 17 gray, 18 sYCC."""
    return box(b"colr", struct.pack(">BBBI", 1, 0, 0, space))


def profiled(profile: bytes) -> bytes:
    """Return the box of a restricted colour profile."""
    return box(b"colr", b"\2\0\0", profile)


def defined(*channels: tuple[int, int, int]) -> bytes:
    """Return the box that defines the channels: number, type and association of each."""
    return box(
        b"cdef", struct.pack(">H", len(channels)), *(struct.pack(">HHH", *c) for c in channels)
    )


def jp2(codestream: bytes, *header: bytes, after: bytes = b"", brand: bytes = b"jp2 ") -> bytes:
    """Return a file of this codestream; `header` are the boxes after its header's first."""
    right, bottom, *_, components = struct.unpack_from(">II24xH", codestream, 8)
    size = struct.pack(">IIHBBBB", bottom, right, components, codestream[42], 7, 0, 0)
    types = box(b"ftyp", brand, bytes(4), brand)
    return (
        _SIGNATURE
        + types
        + box(b"jp2h", box(b"ihdr", size), *header)
        + box(b"jp2c", codestream)
        + after
    )


def codestream(pixels: Any, **options: Any) -> bytes:
    """Encode with OpenJPEG, lossless unless the options say otherwise."""
    chosen = {"level": 0, "reversible": True} | options
    return bytes(
        imagecodecs.jpeg2k_encode(np.ascontiguousarray(pixels), codecformat="j2k", **chosen)
    )


def tiled(pixels: Any, tile: int = 128) -> bytes:
    """Lossless HTJ2K in tiles, each with several parts, by OpenJPH."""
    return bytes(imagecodecs.htj2k_encode(pixels, reversible=True, rgb=True, tile=(tile, tile)))


def _kind(
    name: str,
    body: Callable[[], bytes],
    expected: Callable[[], Any] = picture,
    suffix: str = ".jp2",
) -> MadeKind:
    def make(path: Path) -> None:
        path.write_bytes(body())

    return MadeKind(name=name, suffix=suffix, make=make, expected=expected)


def _with_alpha() -> Any:
    return eight(np.dstack([picture(), transparency()]))


JPEG_2000_KINDS: tuple[MadeKind, ...] = (
    _kind("jp2", lambda: jp2(codestream(eight(picture())), enumerated(16))),
    _kind(
        "jp2-lossy",
        lambda: jp2(codestream(eight(picture()), level=60, reversible=False), enumerated(16)),
    ),
    _kind(
        "jp2-gray-16",
        lambda: jp2(codestream(sixteen(luminance())), enumerated(17)),
        lambda: neutral(luminance()),
    ),
    _kind(
        "jp2-alpha",
        lambda: jp2(
            codestream(_with_alpha(), mct=False),
            enumerated(16),
            defined((0, 0, 1), (1, 0, 2), (2, 0, 3), (3, 1, 0)),
        ),
        on_white,
    ),
    _kind("htj2k-tiles", lambda: tiled(eight(picture())), suffix=".j2c"),
)
