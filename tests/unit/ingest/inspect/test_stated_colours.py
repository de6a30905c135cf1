"""Colours that a file states without a profile are honoured, or noted.

The other opinion is Pillow's LittleCMS, with a profile made by other code than ours.
"""

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import tifffile
from PIL import Image, ImageCms

from tests.exif_tool import run_exiftool
from tests.rigs.corpora.corpus_colours import (
    ADOBE_GAMMA,
    ADOBE_PROFILE,
    SRGB_TO_XYZ,
    icc_profile,
    picture,
)
from tests.rigs.corruption.variant_judge import convert_pixels
from tests.unit.ingest.made_masters import difference
from vitrine.ingest.convert.conversion import read_metadata
from vitrine.ingest.inspect.formats.exif_colour import colours_of_block
from vitrine.ingest.inspect.formats.made_profile import (
    ADOBE_PRIMARIES,
    D65,
    ColourEncoding,
    gamma_curve,
    make_profile,
)
from vitrine.ingest.inspect.header import Header, read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.store.tiff.entry import text
from vitrine.store.tiff.tags import EXIF_COLOUR_SPACE, EXIF_DATE_TIME_ORIGINAL, Tag
from vitrine.store.tiff.writing import NewDirectory, lay_out

LIMITS = MasterLimits(pixels=10_000_000, bytes=64 << 20)
PIXELS = np.round(picture() * 255).astype("u1")
VISIBLE = 0.7
"""ΔE00 that JPEG at quality 90 stays below; what is ignored is 3 and more."""
ADOBE_POINTS = (31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000)
FORMATS = {".jpg": "jpeg", ".png": "png", ".webp": "webp", ".tif": "tiff"}


def converted(profile: bytes, pixels: Any = PIXELS) -> Any:
    """What LittleCMS makes of the pixels, sRGB 0 to 1."""
    image = ImageCms.profileToProfile(
        Image.fromarray(pixels),
        ImageCms.ImageCmsProfile(io.BytesIO(profile)),
        ImageCms.createProfile("sRGB"),
        renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
        outputMode="RGB",
        flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )
    return np.asarray(image) / 255


def header_of(path: Path) -> Header:
    with LocalFile(path) as file:
        return read_header(file, FORMATS[path.suffix], LIMITS)


def notes_of(path: Path) -> list[str]:
    return [note.code for note in header_of(path).notes]


def written(path: Path, *tags: str) -> Path:
    if path.suffix == ".tif":
        tifffile.imwrite(path, PIXELS, photometric="rgb", metadata=None)
    else:
        options: dict[str, Any] = {".jpg": {"quality": 98}, ".webp": {"lossless": True}}
        Image.fromarray(PIXELS).save(path, **options.get(path.suffix, {}))
    if tags:
        run_exiftool("-q", "-overwrite_original", *tags, path)
    return path


def with_chunks(path: Path, **chunks: bytes) -> Path:
    body = written(path).read_bytes()
    added = b""
    for name, data in chunks.items():
        named = name.encode() + data
        added += struct.pack(">I", len(data)) + named + struct.pack(">I", zlib.crc32(named))
    path.write_bytes(body[:33] + added + body[33:])
    return path


def tagged(path: Path, *tags: Any, pixels: Any = PIXELS) -> Path:
    photometric: Any = "minisblack" if pixels.ndim == 2 else "rgb"
    tifffile.imwrite(path, pixels, photometric=photometric, metadata=None, extratags=tags)
    return path


def fractions(*values: int) -> tuple[int, ...]:
    return tuple(number for value in values for number in (value, 100_000))


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_cameras_adobe_rgb_is_honoured(tmp_path: Path, suffix: str) -> None:
    tags = ("-ExifIFD:ColorSpace=Uncalibrated", "-InteropIFD:InteropIndex=R03")
    path = written(tmp_path / f"m{suffix}", *tags)
    expected = converted(ADOBE_PROFILE)
    assert difference(PIXELS / 255, expected) > 1.8
    assert difference(convert_pixels(path) / 255, expected) < VISIBLE
    assert notes_of(path) == ["colours-without-profile"]


def test_the_access_master_of_a_cameras_adobe_rgb_says_srgb(tmp_path: Path) -> None:
    tags = ("-ExifIFD:ColorSpace=Uncalibrated", "-InteropIFD:InteropIndex=R03")
    path = written(tmp_path / "m.jpg", *tags)
    exif = read_metadata(path, header_of(path)).children[Tag.EXIF_IFD]
    assert exif.entries[EXIF_COLOUR_SPACE].integers() == (1,)
    assert exif.children[Tag.INTEROPERABILITY_IFD].entries[1].data == b"R98\0"


def test_colours_that_exif_calls_uncalibrated_are_noted(tmp_path: Path) -> None:
    assert notes_of(written(tmp_path / "m.jpg", "-ExifIFD:ColorSpace=Uncalibrated")) == [
        "colours-unknown"
    ]
    assert notes_of(written(tmp_path / "s.jpg", "-ExifIFD:ColorSpace=sRGB")) == []


def test_exif_that_says_nothing_of_colours_states_none() -> None:
    exif = NewDirectory({EXIF_DATE_TIME_ORIGINAL: text("2026:11:25 06:00:00")})
    layout = lay_out([NewDirectory({}, {int(Tag.EXIF_IFD): exif})])
    assert colours_of_block(layout.head + layout.tail) == "unstated"


def test_a_profile_counts_before_exif(tmp_path: Path) -> None:
    without = written(tmp_path / "m.jpg", "-ExifIFD:ColorSpace#=2")
    path = tmp_path / "with.jpg"
    with Image.open(without) as image:
        image.save(path, quality=98, exif=image.getexif(), icc_profile=ADOBE_PROFILE)
    assert notes_of(without) == ["colours-without-profile"]
    assert (header_of(path).profile, notes_of(path)) == ("usable", [])


def test_chrm_and_gama_of_a_png_are_honoured(tmp_path: Path) -> None:
    path = with_chunks(
        tmp_path / "m.png",
        cHRM=struct.pack(">8I", *ADOBE_POINTS),
        gAMA=struct.pack(">I", round(100_000 / ADOBE_GAMMA)),
    )
    assert difference(convert_pixels(path) / 255, converted(ADOBE_PROFILE)) < VISIBLE
    assert notes_of(path) == ["colours-without-profile"]


def test_chrm_of_srgb_changes_nothing_and_of_nonsense_is_noted(tmp_path: Path) -> None:
    srgb = (31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000)
    path = with_chunks(tmp_path / "m.png", cHRM=struct.pack(">8I", *srgb))
    assert (header_of(path).made_icc, notes_of(path)) == (None, [])
    for nonsense in ((0,) * 8, (31_270, 32_900, *(64_000, 33_000) * 3), (2**32 - 1,) * 8):
        path = with_chunks(tmp_path / "m.png", cHRM=struct.pack(">8I", *nonsense))
        assert (header_of(path).made_icc, notes_of(path)) == (None, ["colour-tags-unusable"])


def test_display_p3_by_code_points_is_honoured(tmp_path: Path) -> None:
    path = with_chunks(tmp_path / "m.png", cICP=bytes((12, 13, 0, 1)))
    expected = converted(pyvips.Operation.call("profile_load", "p3"))
    assert difference(PIXELS / 255, expected) > 1.8
    assert difference(convert_pixels(path) / 255, expected) < VISIBLE


def test_primaries_and_white_of_a_tiff_are_honoured(tmp_path: Path) -> None:
    path = tagged(
        tmp_path / "m.tif",
        (Tag.WHITE_POINT, 5, 2, fractions(*ADOBE_POINTS[:2]), True),
        (Tag.PRIMARY_CHROMATICITIES, 5, 6, fractions(*ADOBE_POINTS[2:]), True),
    )
    assert difference(convert_pixels(path) / 255, converted(ADOBE_PROFILE)) < VISIBLE
    assert notes_of(path) == ["colours-without-profile"]


CURVE_PROFILE = icc_profile(
    b"RGB ",
    {name + b"XYZ": SRGB_TO_XYZ[:, at] for at, name in enumerate((b"r", b"g", b"b"))},
    dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), 1.5),
)


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("channels", [1, 3])
def test_the_transfer_function_of_a_tiff_is_honoured(
    tmp_path: Path, bits: int, channels: int
) -> None:
    steps = np.linspace(0, 1, 1 << bits)
    table = tuple(np.round(steps**1.5 * 65535).astype(int)) * channels
    pixels = PIXELS if bits == 8 else PIXELS.astype("u2") * 257
    tag = (Tag.TRANSFER_FUNCTION, 3, len(table), table, True)
    path = tagged(tmp_path / "m.tif", tag, pixels=pixels)
    expected = converted(CURVE_PROFILE)
    assert difference(PIXELS / 255, expected) > 1.8
    assert difference(convert_pixels(path) / 255, expected) < VISIBLE


Tags = tuple[Any, ...]


@pytest.mark.parametrize(
    "tag",
    [
        (Tag.TRANSFER_FUNCTION, 3, 256, tuple(range(65535, 65535 - 256, -1)), True),
        (Tag.TRANSFER_FUNCTION, 3, 100, tuple(range(100)), True),
        (Tag.PRIMARY_CHROMATICITIES, 5, 6, (0,) * 12, True),
        (Tag.PRIMARY_CHROMATICITIES, 3, 6, (1,) * 6, True),
        (Tag.WHITE_POINT, 5, 2, fractions(0, 0), True),
    ],
)
def test_colour_tags_that_make_no_sense_are_noted(tmp_path: Path, tag: Tags) -> None:
    path = tagged(tmp_path / "m.tif", tag)
    assert (header_of(path).made_icc, notes_of(path)) == (None, ["colour-tags-unusable"])


def test_colour_tags_of_srgb_change_nothing(tmp_path: Path) -> None:
    srgb = fractions(64_000, 33_000, 30_000, 60_000, 15_000, 6_000)
    path = tagged(tmp_path / "m.tif", (Tag.PRIMARY_CHROMATICITIES, 5, 6, srgb, True))
    assert (header_of(path).made_icc, notes_of(path)) == (None, [])


def test_floats_without_a_profile_are_noted_as_linear_light(tmp_path: Path) -> None:
    path = tmp_path / "m.tif"
    tifffile.imwrite(path, picture().astype("f4"), photometric="rgb", metadata=None)
    assert notes_of(path) == ["linear-light-assumed"]
    tifffile.imwrite(
        path, picture().astype("f4"), photometric="rgb", metadata=None, iccprofile=ADOBE_PROFILE
    )
    assert notes_of(path) == []


def change_field(path: Path, tag: int, change: Callable[[bytearray, int], None]) -> None:
    """Change the bytes of one field of a little-endian TIFF."""
    data = bytearray(path.read_bytes())
    [directory] = struct.unpack_from("<I", data, 4)
    [count] = struct.unpack_from("<H", data, directory)
    for number in range(count):
        at = directory + 2 + 12 * number
        if struct.unpack_from("<H", data, at)[0] == tag:
            change(data, at)
    path.write_bytes(data)


def claim_nothing(data: bytearray, at: int) -> None:
    struct.pack_into("<I", data, at + 4, 0)


def claim_unknown_type(data: bytearray, at: int) -> None:
    struct.pack_into("<HI", data, at + 2, 99, 2**32 - 1)


def point_beyond(data: bytearray, at: int) -> None:
    struct.pack_into("<I", data, at + 8, 10**8)


@pytest.mark.parametrize("change", [claim_nothing, claim_unknown_type])
def test_a_profile_that_cannot_be_read_is_noted(
    tmp_path: Path, change: Callable[[bytearray, int], None]
) -> None:
    path = tmp_path / "m.tif"
    tifffile.imwrite(path, PIXELS, photometric="rgb", metadata=None, iccprofile=ADOBE_PROFILE)
    change_field(path, Tag.ICC_PROFILE, change)
    assert notes_of(path) == ["profile-broken"]


@pytest.mark.parametrize("change", [point_beyond, claim_unknown_type])
def test_xmp_that_cannot_be_read_is_reported(
    tmp_path: Path, change: Callable[[bytearray, int], None]
) -> None:
    path = tagged(tmp_path / "m.tif", (Tag.XMP, 1, 600, b"<x/>" * 150, True))
    change_field(path, Tag.XMP, change)
    [loss] = read_metadata(path, header_of(path)).losses
    assert loss.startswith("Tag 700 was left out.")


def test_a_made_profile_is_what_others_make_of_the_same_primaries() -> None:
    made = make_profile(ColourEncoding((gamma_curve(ADOBE_GAMMA),), ADOBE_PRIMARIES, D65), "rgb")
    assert made is not None
    assert np.abs(converted(made) - converted(ADOBE_PROFILE)).max() < 1.5 / 255
    info = ImageCms.ImageCmsProfile(io.BytesIO(made)).profile
    assert info.xcolor_space.strip() == "RGB"
