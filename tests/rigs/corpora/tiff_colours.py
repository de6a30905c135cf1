"""TIFFs in every colour model and depth, laid out plainly."""

from typing import Any

import numpy as np

from tests.rigs.corpora.corpus_colours import (
    ADOBE_PROFILE,
    GRAY_GAMMA,
    GRAY_PROFILE,
    LINEAR_PROFILE,
    adobe_to_srgb,
    decode_srgb,
    eight,
    encode_srgb,
    picture,
    sixteen,
)
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


def _gray_expected() -> Any:
    return neutral(luminance())


def _gray_profiled() -> Any:
    return neutral(encode_srgb(luminance() ** GRAY_GAMMA))


def _inverted(pixels: Any) -> Any:
    return np.iinfo(pixels.dtype).max - pixels


def _packed_levels(bits: int) -> Any:
    return np.round(luminance() * (2**bits - 1)).astype("u1")


def _levels_expected(bits: int) -> Any:
    return neutral(_packed_levels(bits) / (2**bits - 1))


def _with(*extra: Any) -> Any:
    return np.concatenate([picture(), *extra], axis=-1)


def _associated() -> Any:
    return np.concatenate([picture() * transparency(), transparency()], axis=-1)


def _spot() -> Any:
    """Add a spot colour or saved selection, which is not transparency, though it looks like it."""
    return 1 - transparency()


def _palette() -> Any:
    """256 colours along the picture's diagonal, as 16-bit columns."""
    return np.ascontiguousarray(np.round(_palette_colours() * 255).astype("u2").T * 257)


def _palette_colours() -> Any:
    step = np.linspace(0, 1, 256)
    return np.stack([0.3 + 0.4 * step, 0.7 - 0.4 * step, 0.4 + 0.2 * step], axis=-1)


def _indices() -> Any:
    return eight((luminance() - 0.35) / 0.3)


_RGB: dict[str, Any] = {"photometric": "rgb"}
_GRAY: dict[str, Any] = {"photometric": "minisblack"}
_WHITE: dict[str, Any] = {"photometric": "miniswhite"}
_CMYK: dict[str, Any] = {"photometric": "separated"}
_LAB: dict[str, Any] = {"photometric": "cielab"}
_ICC_LAB: dict[str, Any] = {"photometric": "icclab"}
_CLEAR, _PREMULTIPLIED, _OTHER = ["unassalpha"], ["assocalpha"], ["unspecified"]

COLOUR_KINDS: tuple[MadeKind, ...] = (
    tiff_kind("rgb-16", lambda: sixteen(picture()), **_RGB),
    tiff_kind(
        "adobe-8",
        lambda: eight(picture()),
        lambda: adobe_to_srgb(picture()),
        **_RGB,
        iccprofile=ADOBE_PROFILE,
    ),
    tiff_kind(
        "adobe-16",
        lambda: sixteen(picture()),
        lambda: adobe_to_srgb(picture()),
        **_RGB,
        iccprofile=ADOBE_PROFILE,
    ),
    tiff_kind("mismatched-profile", lambda: eight(picture()), **_RGB, iccprofile=GRAY_PROFILE),
    tiff_kind("broken-profile", lambda: eight(picture()), **_RGB, iccprofile=ADOBE_PROFILE[:300]),
    tiff_kind("gray-8", lambda: eight(luminance()), _gray_expected, **_GRAY),
    tiff_kind("gray-16", lambda: sixteen(luminance()), _gray_expected, **_GRAY),
    tiff_kind(
        "gray-4", lambda: _packed_levels(4), lambda: _levels_expected(4), **_GRAY, bitspersample=4
    ),
    tiff_kind(
        "gray-2", lambda: _packed_levels(2), lambda: _levels_expected(2), **_GRAY, bitspersample=2
    ),
    tiff_kind("gray-8-negative", lambda: _inverted(eight(luminance())), _gray_expected, **_WHITE),
    tiff_kind(
        "gray-16-negative", lambda: _inverted(sixteen(luminance())), _gray_expected, **_WHITE
    ),
    tiff_kind(
        "gray-8-profile",
        lambda: eight(luminance()),
        _gray_profiled,
        **_GRAY,
        iccprofile=GRAY_PROFILE,
    ),
    tiff_kind(
        "gray-16-profile",
        lambda: sixteen(luminance()),
        _gray_profiled,
        **_GRAY,
        iccprofile=GRAY_PROFILE,
    ),
    tiff_kind(
        "cmyk-profile",
        lambda: cmyk_picture()[0],
        cmyk_expected,
        **_CMYK,
        iccprofile=cmyk_picture()[1],
    ),
    tiff_kind(
        "cmyk-16-profile",
        lambda: cmyk_picture()[0].astype("u2") * 257,
        cmyk_expected,
        **_CMYK,
        iccprofile=cmyk_picture()[1],
    ),
    tiff_kind("cmyk", lambda: cmyk_picture()[0], cmyk_expected, **_CMYK),
    tiff_kind(
        "palette",
        _indices,
        lambda: _palette_colours()[_indices()],
        photometric="palette",
        colormap=_palette(),
    ),
    tiff_kind("lab-8", lambda: lab_samples(1, 0, 2.55, "u1"), **_LAB),
    tiff_kind("lab-16", lambda: lab_samples(256, 0, 655.35, "u2"), **_LAB),
    tiff_kind("icc-lab-8", lambda: lab_samples(1, 128, 2.55, "u1"), **_ICC_LAB),
    tiff_kind("icc-lab-16", lambda: lab_samples(256, 32768, 652.8, "u2"), **_ICC_LAB),
    tiff_kind("float", lambda: decode_srgb(picture()).astype("f4"), **_RGB),
    tiff_kind("half-float", lambda: decode_srgb(picture()).astype("f2"), **_RGB),
    tiff_kind(
        "float-deflate-predictor",
        lambda: decode_srgb(picture()).astype("f4"),
        **_RGB,
        compression="deflate",
        predictor=3,
    ),
    tiff_kind("float-gray", lambda: decode_srgb(luminance()).astype("f4"), _gray_expected, **_GRAY),
    tiff_kind(
        "float-linear-profile",
        lambda: decode_srgb(picture()).astype("f4"),
        **_RGB,
        iccprofile=LINEAR_PROFILE,
    ),
    tiff_kind(
        "float-adobe",
        lambda: picture().astype("f4"),
        lambda: adobe_to_srgb(picture()),
        **_RGB,
        iccprofile=ADOBE_PROFILE,
    ),
    tiff_kind(
        "float-alpha",
        lambda: np.concatenate([decode_srgb(picture()), transparency()], axis=-1).astype("f4"),
        on_white,
        **_RGB,
        extrasamples=_CLEAR,
    ),
    tiff_kind(
        "alpha-8", lambda: eight(_with(transparency())), on_white, **_RGB, extrasamples=_CLEAR
    ),
    tiff_kind(
        "alpha-16", lambda: sixteen(_with(transparency())), on_white, **_RGB, extrasamples=_CLEAR
    ),
    tiff_kind(
        "associated-alpha-8",
        lambda: eight(_associated()),
        on_white,
        **_RGB,
        extrasamples=_PREMULTIPLIED,
    ),
    tiff_kind(
        "associated-alpha-16",
        lambda: sixteen(_associated()),
        on_white,
        **_RGB,
        extrasamples=_PREMULTIPLIED,
    ),
    tiff_kind("spot-channel", lambda: eight(_with(_spot())), **_RGB, extrasamples=_OTHER),
    tiff_kind(
        "spot-channel-and-alpha",
        lambda: eight(_with(_spot(), transparency())),
        on_white,
        **_RGB,
        extrasamples=_OTHER + _CLEAR,
    ),
    tiff_kind(
        "gray-alpha",
        lambda: eight(np.dstack([luminance(), transparency()])),
        lambda: neutral(luminance()) * transparency() + 1 - transparency(),
        **_GRAY,
        extrasamples=_CLEAR,
        planarconfig="contig",
    ),
    tiff_kind(
        "cmyk-alpha",
        lambda: np.dstack([cmyk_picture()[0], eight(transparency())]),
        lambda: cmyk_expected() * transparency() + 1 - transparency(),
        **_CMYK,
        extrasamples=_CLEAR,
    ),
)
