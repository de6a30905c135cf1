"""TIFFs of one picture in every layout and compression."""

from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from PIL import Image

from tests.rigs.corpora.corpus_colours import ADOBE_PROFILE, adobe_to_srgb, eight, picture, sixteen
from tests.rigs.corpora.corpus_master import (
    MadeKind,
    cmyk_expected,
    cmyk_picture,
    lab_samples,
    luminance,
    neutral,
    on_white,
    tiff_kind,
    transparency,
)


def _eight() -> Any:
    return eight(picture())


def _sixteen() -> Any:
    return sixteen(picture())


def _planes() -> Any:
    return _apart(_eight())


def _apart(pixels: Any) -> Any:
    return np.ascontiguousarray(np.moveaxis(pixels, -1, 0))


def _bilevel() -> Any:
    """Return a random dither of 4 x 4 dots, so that compressed strips have content."""
    tones = luminance()[::4, ::4]
    dots = np.random.default_rng(4).random(tones.shape) < tones
    return np.kron(dots, np.ones((4, 4))) > 0


def _bilevel_expected() -> Any:
    return neutral(_bilevel().astype(float))


def _by_pillow(name: str, compression: str) -> MadeKind:
    def make(path: Path) -> None:
        Image.fromarray(_bilevel()).save(path, compression=compression)

    return MadeKind(name=name, suffix=".tif", make=make, expected=_bilevel_expected)


def _pages(name: str, *sizes: int) -> MadeKind:
    """Black pages of these heights around the picture, which stands where 0 does."""

    def make(path: Path) -> None:
        with tifffile.TiffWriter(path) as writer:
            for height in sizes:
                page = np.zeros((height, height, 3), "u1") if height else _eight()
                writer.write(page, photometric="rgb")

    return MadeKind(name=name, suffix=".tif", make=make, expected=picture)


def _orientation(number: int) -> MadeKind:
    def upright() -> Any:
        stored = picture()
        if number in (2, 3, 6, 7):
            stored = stored[:, ::-1] if number in (2, 3) else stored[::-1]
        if number in (3, 4, 7, 8):
            stored = stored[::-1] if number in (3, 4) else stored[:, ::-1]
        return stored.swapaxes(0, 1) if number >= 5 else stored

    tag = [(274, "H", 1, number, True)]
    return tiff_kind(f"orientation-{number}", _eight, upright, photometric="rgb", extratags=tag)


_RGB: dict[str, Any] = {"photometric": "rgb"}
_PLANAR: dict[str, Any] = _RGB | {"planarconfig": "separate"}

LAYOUT_KINDS: tuple[MadeKind, ...] = (
    tiff_kind("strips", _eight, **_RGB, rowsperstrip=16),
    tiff_kind("one-strip", _eight, **_RGB, rowsperstrip=160),
    tiff_kind("tiles", _eight, **_RGB, tile=(64, 64)),
    tiff_kind("tiles-deflate", _eight, **_RGB, tile=(64, 64), compression="deflate"),
    tiff_kind("planar-strips", _planes, **_PLANAR, rowsperstrip=16),
    tiff_kind("planar-strips-lzw", _planes, **_PLANAR, rowsperstrip=16, compression="lzw"),
    tiff_kind("planar-tiles", _planes, **_PLANAR, tile=(64, 64)),
    tiff_kind("planar-tiles-lzw", _planes, **_PLANAR, tile=(64, 64), compression="lzw"),
    tiff_kind(
        "planar-tiles-adobe-16",
        lambda: _apart(_sixteen()),
        lambda: adobe_to_srgb(picture()),
        **_PLANAR,
        tile=(64, 64),
        iccprofile=ADOBE_PROFILE,
    ),
    tiff_kind(
        "planar-tiles-cmyk",
        lambda: _apart(cmyk_picture()[0]),
        cmyk_expected,
        photometric="separated",
        planarconfig="separate",
        tile=(64, 64),
    ),
    tiff_kind(
        "planar-tiles-lab-16",
        lambda: _apart(lab_samples(256, 0, 655.35, "u2")),
        photometric="cielab",
        planarconfig="separate",
        tile=(64, 64),
    ),
    tiff_kind(
        "planar-strips-lab-16",
        lambda: _apart(lab_samples(256, 0, 655.35, "u2")),
        photometric="cielab",
        planarconfig="separate",
        rowsperstrip=16,
    ),
    tiff_kind(
        "planar-strips-gray-alpha",
        lambda: _apart(eight(np.dstack([luminance(), transparency()]))),
        lambda: neutral(luminance()) * transparency() + 1 - transparency(),
        photometric="minisblack",
        planarconfig="separate",
        rowsperstrip=16,
        extrasamples=["unassalpha"],
    ),
    tiff_kind(
        "planar-tiles-associated-alpha",
        lambda: _apart(eight(np.dstack([picture() * transparency(), transparency()]))),
        on_white,
        **_PLANAR,
        tile=(64, 64),
        extrasamples=["assocalpha"],
    ),
    tiff_kind(
        "planar-tiles-alpha",
        lambda: _apart(eight(np.dstack([picture(), transparency()]))),
        on_white,
        **_PLANAR,
        tile=(64, 64),
        extrasamples=["unassalpha"],
    ),
    tiff_kind(
        "planar-tiles-turned",
        _planes,
        lambda: picture()[::-1, ::-1],
        **_PLANAR,
        tile=(64, 64),
        extratags=[(274, "H", 1, 3, True)],
    ),
    tiff_kind("lzw", _eight, **_RGB, compression="lzw", rowsperstrip=16),
    tiff_kind("lzw-one-strip", _eight, **_RGB, compression="lzw", rowsperstrip=160),
    tiff_kind("lzw-16-predictor", _sixteen, **_RGB, compression="lzw", predictor=True),
    tiff_kind("deflate", _eight, **_RGB, compression="deflate", rowsperstrip=16),
    tiff_kind("deflate-predictor", _eight, **_RGB, compression="deflate", predictor=True),
    tiff_kind("packbits", _eight, **_RGB, compression="packbits", rowsperstrip=16),
    tiff_kind("webp-in-tiff", _eight, **_RGB, compression="webp", tile=(64, 64)),
    tiff_kind(
        "jpeg-ycbcr-420", _eight, **_RGB, compression="jpeg", subsampling=(2, 2), tile=(64, 64)
    ),
    tiff_kind(
        "jpeg-rgb",
        _eight,
        **_RGB,
        compression="jpeg",
        compressionargs={"level": 95, "outcolorspace": "rgb", "colorspace": "rgb"},
        rowsperstrip=16,
    ),
    tiff_kind("bigtiff", _eight, **_RGB, bigtiff=True, compression="deflate"),
    tiff_kind("big-endian", _sixteen, **_RGB, byteorder=">"),
    tiff_kind("big-endian-bigtiff", _sixteen, **_RGB, byteorder=">", bigtiff=True),
    tiff_kind(
        "big-endian-lzw-tiles", _sixteen, **_RGB, byteorder=">", compression="lzw", tile=(64, 64)
    ),
    _by_pillow("group4", "group4"),
    _by_pillow("group3", "group3"),
    _by_pillow("ccitt-rle", "tiff_ccitt"),
    tiff_kind("bilevel-min-is-black", _bilevel, _bilevel_expected, photometric="minisblack"),
    tiff_kind(
        "bilevel-min-is-white", lambda: ~_bilevel(), _bilevel_expected, photometric="miniswhite"
    ),
    _pages("pages", 30, 0, 50),
    _pages("thumbnail-first", 40, 0),
    *(_orientation(number) for number in range(1, 9)),
)
