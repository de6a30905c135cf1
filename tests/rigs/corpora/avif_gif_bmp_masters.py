"""AVIF, GIF and BMP masters."""

import io
import struct
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.rigs.corpora.corpus_colours import ADOBE_PROFILE, adobe_to_srgb, eight, picture
from tests.rigs.corpora.corpus_master import MadeKind, luminance, neutral, on_white, transparency

_COLOURS = 64
_LOSSLESS: dict[str, Any] = {"quality": 100, "subsampling": "4:4:4", "speed": 8}


def _kind(name: str, body: Callable[[], bytes], expected: Callable[[], Any] = picture) -> MadeKind:
    def make(path: Path) -> None:
        path.write_bytes(body())

    suffix = f".{name.partition('-')[0]}"
    return MadeKind(name=name, suffix=suffix, make=make, expected=expected)


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    """Return the image as Pillow writes it."""
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


@cache
def avif(**options: Any) -> bytes:
    """Return the picture as AVIF; encoding is slow."""
    return saved(Image.fromarray(eight(picture())), "AVIF", **(_LOSSLESS | options))


def _avif_pixels() -> Any:
    """Return what Pillow's decoder sees: the samples are rounded as luma and chroma."""
    return np.asarray(Image.open(io.BytesIO(avif()))) / 255


@cache
def _transparent_avif() -> bytes:
    samples = np.dstack([eight(picture()), eight(transparency())])
    return saved(Image.fromarray(samples), "AVIF", **_LOSSLESS)


def _palette_image() -> Image.Image:
    return Image.fromarray(eight(picture())).quantize(_COLOURS)


def _palette_expected() -> Any:
    return np.asarray(_palette_image().convert("RGB")) / 255


def _keyed_expected() -> Any:
    """Return the palette image with its first colour transparent, on white."""
    keyed = np.asarray(_palette_image()) == 0
    return np.where(keyed[..., None], 1.0, _palette_expected())


def _upside_down_bmp() -> bytes:
    """Return a BMP whose rows are stored from the top on."""
    body = bytearray(saved(Image.fromarray(eight(picture())[::-1]), "BMP"))
    [height] = struct.unpack_from("<i", body, 22)
    struct.pack_into("<i", body, 22, -height)
    return bytes(body)


AVIF_GIF_BMP_KINDS: tuple[MadeKind, ...] = (
    _kind("avif", avif, _avif_pixels),
    _kind("avif-alpha", _transparent_avif, on_white),
    _kind(
        "avif-adobe-rgb",
        lambda: avif(icc_profile=ADOBE_PROFILE),
        lambda: adobe_to_srgb(_avif_pixels()),
    ),
    _kind("gif", lambda: saved(_palette_image(), "GIF"), _palette_expected),
    _kind(
        "gif-gray",
        lambda: saved(Image.fromarray(eight(luminance())), "GIF"),
        lambda: neutral(luminance()),
    ),
    _kind(
        "gif-transparent", lambda: saved(_palette_image(), "GIF", transparency=0), _keyed_expected
    ),
    _kind("bmp", lambda: saved(Image.fromarray(eight(picture())), "BMP")),
    _kind("bmp-top-down", _upside_down_bmp),
    _kind("bmp-palette", lambda: saved(_palette_image(), "BMP"), _palette_expected),
    _kind(
        "bmp-bilevel",
        lambda: saved(Image.fromarray(luminance() > 0.5), "BMP"),
        lambda: neutral((luminance() > 0.5).astype(float)),
    ),
    _kind(
        "bmp-32",
        lambda: saved(Image.fromarray(eight(picture())).convert("RGBA"), "BMP"),
    ),
)
