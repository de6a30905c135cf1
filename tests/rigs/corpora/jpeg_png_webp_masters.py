"""JPEG, PNG and WebP masters."""

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
from PIL import Image

from tests.rigs.corpora.corpus_colours import (
    ADOBE_PROFILE,
    adobe_to_srgb,
    decode_srgb,
    eight,
    picture,
    sixteen,
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

_LINEAR_GAMMA = 100_000
_COLOURS = 64


def _kind(
    name: str, suffix: str, body: Callable[[], bytes], expected: Callable[[], Any] = picture
) -> MadeKind:
    def make(path: Path) -> None:
        path.write_bytes(body())

    return MadeKind(
        name=name, suffix=suffix, make=make, expected=expected, checksummed=suffix == ".png"
    )


def _saved(pixels: Any, mode: str | None = None, **options: Any) -> bytes:
    file = io.BytesIO()
    image = Image.fromarray(pixels, mode) if mode else Image.fromarray(pixels)
    image.save(file, **options)
    return file.getvalue()


def _jpeg(**options: Any) -> bytes:
    return _saved(eight(picture()), format="JPEG", **({"quality": 95} | options))


def _png(pixels: Any) -> bytes:
    return bytes(imagecodecs.png_encode(pixels))


def _turned() -> bytes:
    exif = Image.Exif()
    exif[274] = 6
    return _jpeg(exif=exif)


def _gamma_png() -> bytes:
    """Linear samples with a gAMA chunk that says so, after the 33 bytes of signature and IHDR."""
    body = _png(sixteen(decode_srgb(picture())))
    data = b"gAMA" + struct.pack(">I", _LINEAR_GAMMA)
    chunk = struct.pack(">I", 4) + data + struct.pack(">I", zlib.crc32(data))
    return body[:33] + chunk + body[33:]


def _palette_image() -> Image.Image:
    return Image.fromarray(eight(picture())).quantize(_COLOURS)


def _palette_png(**options: Any) -> bytes:
    file = io.BytesIO()
    _palette_image().save(file, "PNG", **options)
    return file.getvalue()


def _palette_expected() -> Any:
    return np.asarray(_palette_image().convert("RGB")) / 255


def _keyed_expected() -> Any:
    image = _palette_image()
    clear = (np.asarray(image) == 0)[..., None]
    return np.where(clear, 1.0, _palette_expected())


def _with_alpha() -> Any:
    return eight(np.dstack([picture(), transparency()]))


OTHER_KINDS: tuple[MadeKind, ...] = (
    _kind("jpeg", ".jpg", lambda: _jpeg(subsampling=0)),
    _kind("jpeg-420", ".jpg", lambda: _jpeg(subsampling=2)),
    _kind("jpeg-progressive", ".jpg", lambda: _jpeg(progressive=True)),
    _kind("jpeg-restarts", ".jpg", lambda: _jpeg(restart_marker_rows=1)),
    _kind(
        "jpeg-gray",
        ".jpg",
        lambda: _saved(eight(luminance()), format="JPEG", quality=95),
        lambda: neutral(luminance()),
    ),
    _kind(
        "jpeg-adobe-rgb",
        ".jpg",
        lambda: _jpeg(icc_profile=ADOBE_PROFILE),
        lambda: adobe_to_srgb(picture()),
    ),
    _kind(
        "jpeg-cmyk",
        ".jpg",
        lambda: _saved(
            cmyk_picture()[0], "CMYK", format="JPEG", quality=95, icc_profile=cmyk_picture()[1]
        ),
        cmyk_expected,
    ),
    _kind("jpeg-turned", ".jpg", _turned, lambda: picture()[::-1].swapaxes(0, 1)),
    _kind("png", ".png", lambda: _saved(eight(picture()), format="PNG")),
    _kind("png-16", ".png", lambda: _png(sixteen(picture()))),
    _kind(
        "png-gray-16",
        ".png",
        lambda: _png(sixteen(luminance())),
        lambda: neutral(luminance()),
    ),
    _kind(
        "png-bilevel",
        ".png",
        lambda: _saved(luminance() > 0.5, format="PNG"),
        lambda: neutral((luminance() > 0.5).astype(float)),
    ),
    _kind("png-palette", ".png", _palette_png, _palette_expected),
    _kind("png-palette-transparent", ".png", lambda: _palette_png(transparency=0), _keyed_expected),
    _kind("png-alpha", ".png", lambda: _saved(_with_alpha(), format="PNG"), on_white),
    _kind(
        "png-alpha-16",
        ".png",
        lambda: _png(sixteen(np.dstack([picture(), transparency()]))),
        on_white,
    ),
    _kind("png-gamma", ".png", _gamma_png),
    _kind(
        "png-adobe-rgb",
        ".png",
        lambda: _saved(eight(picture()), format="PNG", icc_profile=ADOBE_PROFILE),
        lambda: adobe_to_srgb(picture()),
    ),
    _kind("webp", ".webp", lambda: _saved(eight(picture()), format="WEBP", quality=95)),
    _kind("webp-lossless", ".webp", lambda: _saved(eight(picture()), format="WEBP", lossless=True)),
    _kind(
        "webp-alpha", ".webp", lambda: _saved(_with_alpha(), format="WEBP", quality=95), on_white
    ),
    _kind(
        "webp-adobe-rgb",
        ".webp",
        lambda: _saved(eight(picture()), format="WEBP", lossless=True, icc_profile=ADOBE_PROFILE),
        lambda: adobe_to_srgb(picture()),
    ),
)
