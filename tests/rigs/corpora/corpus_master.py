"""One kind of master: how it is written, and what it looks like."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyvips
import tifffile

from tests.rigs.corpora.corpus_colours import Floats, cmyk_to_srgb, picture, srgb_to_lab


@dataclass(frozen=True, kw_only=True)
class MadeKind:
    """`make` writes the master; `expected` is what it shows, sRGB 0 to 1, upright."""

    name: str
    suffix: str
    make: Callable[[Path], None] = field(repr=False)
    expected: Callable[[], Floats] = field(repr=False)
    checksummed: bool = False
    """True if the format detects every changed pixel (deflate does)."""


def tiff_kind(
    name: str, pixels: Any, expected: Any = None, *, checksummed: bool = False, **options: Any
) -> MadeKind:
    """Written by tifffile and imagecodecs; shows the picture if nothing else is said."""

    def make(path: Path) -> None:
        tifffile.imwrite(path, pixels(), **options)

    shown = expected or picture
    return MadeKind(name=name, suffix=".tif", make=make, expected=shown, checksummed=checksummed)


def luminance() -> Floats:
    """Return the gray picture, 0 to 1."""
    return picture()[..., 0]


def neutral(values: Any) -> Any:
    """Gray as RGB."""
    return np.repeat(values[..., None], 3, axis=-1)


def transparency() -> Floats:
    """Return an alpha channel, 0 to 1, from opaque on the left to transparent on the right."""
    height, width = picture().shape[:2]
    return np.linspace(1, 0, width)[None, :, None].repeat(height, axis=0)


def on_white() -> Floats:
    """Return the picture under `transparency`, flattened on white."""
    return picture() * transparency() + (1 - transparency())


def lab_samples(scale: float, offset: float, lightness: float, kind: str) -> Any:
    """Return the picture in CIELAB: a and b times `scale` plus `offset`, L times `lightness`."""
    lab = srgb_to_lab(picture()) * [lightness, scale, scale] + [0, offset, offset]
    return np.round(lab).astype("i4").astype(kind)


@cache
def cmyk_picture() -> tuple[Any, bytes]:
    """Return the picture separated for libvips' press profile, and that profile."""
    rgb: Any = pyvips.Image.new_from_array(np.round(picture() * 255).astype("u1"))
    rgb = rgb.copy(interpretation="srgb")
    cmyk = rgb.icc_transform("cmyk", input_profile="srgb", intent="relative")
    return cmyk.numpy(), cmyk.get("icc-profile-data")


def cmyk_expected() -> Any:
    """Return what LittleCMS converts `cmyk_picture` to."""
    return cmyk_to_srgb(*cmyk_picture())
