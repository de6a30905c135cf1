"""Photoshop masters, written by the specification, since no library writes them.

Source: Adobe Photoshop File Formats Specification (2019).
"""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np

from tests.rigs.corpora.corpus_colours import (
    ADOBE_PROFILE,
    adobe_to_srgb,
    eight,
    picture,
)
from tests.rigs.corpora.corpus_master import (
    MadeKind,
    cmyk_expected,
    cmyk_picture,
    luminance,
    neutral,
    on_white,
    transparency,
)

GRAY, INDEXED, RGB, CMYK = 1, 2, 3, 4
PROFILE_RESOURCE, VERSION_RESOURCE = 0x040F, 0x0421
_LAYERS_WITH_TRANSPARENCY = struct.pack(">Ih", 2, -1)


def pack_resource(number: int, data: bytes) -> bytes:
    """Return an image resource without a name."""
    return b"8BIM" + struct.pack(">HHI", number, 0, len(data)) + data + bytes(len(data) % 2)


def photoshop_file(
    planes: Any,
    mode: int,
    *,
    compressed: bool = True,
    large: bool = False,
    resources: bytes = b"",
    palette: bytes = b"",
    layers: bytes = b"",
) -> bytes:
    """Return a PSD, or a PSB if it is `large`, of samples: channels, rows, columns."""
    channels, height, width = planes.shape
    bits = planes.dtype.itemsize * 8
    head = struct.pack(
        ">4sH6xHIIHH", b"8BPS", 2 if large else 1, channels, height, width, bits, mode
    )
    body = head + struct.pack(">I", len(palette)) + palette
    body += struct.pack(">I", len(resources)) + resources
    body += struct.pack(">Q" if large else ">I", len(layers)) + layers
    rows = planes.astype(planes.dtype.newbyteorder(">")).reshape(channels * height, width)
    if not compressed:
        return body + b"\0\0" + bytes(rows.tobytes())
    packed = [imagecodecs.packbits_encode(row.tobytes()) for row in rows]
    code = "I" if large else "H"
    return b"".join(
        (body, b"\0\1", struct.pack(f">{len(packed)}{code}", *map(len, packed)), *packed)
    )


def planar(pixels: Any) -> Any:
    """Return interleaved samples, or those of one channel, as channels, rows, columns."""
    return np.atleast_3d(pixels).transpose(2, 0, 1)


def _kind(name: str, body: Callable[[], bytes], expected: Callable[[], Any] = picture) -> MadeKind:
    def make(path: Path) -> None:
        path.write_bytes(body())

    return MadeKind(name=name, suffix=".psd", make=make, expected=expected)


def _indexed() -> bytes:
    """Return the picture's red in 256 grays, their palette upside down."""
    palette = bytes(range(255, -1, -1)) * 3
    return photoshop_file(planar(255 - eight(luminance())), INDEXED, palette=palette)


def _inks() -> bytes:
    pixels, profile = cmyk_picture()
    resources = pack_resource(PROFILE_RESOURCE, profile)
    return photoshop_file(planar(255 - pixels), CMYK, resources=resources)


def _with_transparency() -> bytes:
    samples = np.dstack([eight(on_white()), eight(transparency())])
    return photoshop_file(planar(samples), RGB, layers=_LAYERS_WITH_TRANSPARENCY)


PHOTOSHOP_KINDS: tuple[MadeKind, ...] = (
    _kind("psd", lambda: photoshop_file(planar(eight(picture())), RGB)),
    _kind("psd-raw", lambda: photoshop_file(planar(eight(picture())), RGB, compressed=False)),
    _kind(
        "psd-gray-raw",
        lambda: photoshop_file(planar(eight(luminance())), GRAY, compressed=False),
        lambda: neutral(luminance()),
    ),
    _kind("psd-indexed", _indexed, lambda: neutral(luminance())),
    _kind("psd-cmyk", _inks, cmyk_expected),
    _kind(
        "psd-adobe-rgb",
        lambda: photoshop_file(
            planar(eight(picture())), RGB, resources=pack_resource(PROFILE_RESOURCE, ADOBE_PROFILE)
        ),
        lambda: adobe_to_srgb(picture()),
    ),
    _kind("psd-transparent", _with_transparency, on_white),
)
