"""AVIF, GIF and BMP: read where it is safe, refused for the true reason."""

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from PIL import Image, ImageCms

from tests.rigs.corpora.avif_gif_bmp_masters import avif, saved
from tests.rigs.corpora.corpus_colours import eight, picture
from tests.rigs.corruption.variant_judge import convert_pixels
from tests.unit.ingest.made_masters import difference
from vitrine.errors import MasterRejected
from vitrine.ingest.convert.conversion import read_metadata
from vitrine.ingest.inspect.header import Header, read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.store.tiff.tags import Tag

LIMITS = MasterLimits(pixels=10_000_000, bytes=64 << 20)
IMAGE = Image.fromarray(eight(picture()))


def header_of(body: bytes, tmp_path: Path) -> Header:
    path = tmp_path / "m"
    path.write_bytes(body)
    with LocalFile(path) as file:
        return read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), LIMITS)


def code_of(body: bytes, tmp_path: Path) -> str:
    with pytest.raises(MasterRejected) as raised:
        header_of(body, tmp_path)
    return raised.value.rejection.code


def changed(body: bytes, at: int, *values: int, code: str = "<H") -> bytes:
    copy = bytearray(body)
    struct.pack_into(f"{code[0]}{len(values)}{code[1]}", copy, at, *values)
    return bytes(copy)


def with_points(primaries: int, transfer: int) -> bytes:
    body = avif()
    return changed(body, body.index(b"colrnclx") + 8, primaries, transfer, code=">H")


def test_bombs_are_refused_from_their_headers(tmp_path: Path) -> None:
    sizes = avif().index(b"ispe") + 8
    for body in (
        changed(avif(), sizes, 60_000, 60_000, code=">I"),
        changed(saved(IMAGE.quantize(), "GIF"), 6, 60_000, 60_000),
        changed(saved(IMAGE, "BMP"), 18, 60_000, 60_000, code="<i"),
    ):
        assert code_of(body, tmp_path) == "too-large"


@pytest.mark.parametrize(("transfer", "name"), [(16, "PQ"), (18, "HLG")])
def test_high_dynamic_range_is_refused_by_its_name(
    tmp_path: Path, transfer: int, name: str
) -> None:
    with pytest.raises(MasterRejected, match=name) as raised:
        header_of(with_points(9, transfer), tmp_path)
    assert raised.value.rejection.code == "high-dynamic-range"


def test_display_p3_of_an_avif_is_honoured(tmp_path: Path) -> None:
    path = tmp_path / "m.avif"
    path.write_bytes(with_points(12, 13))
    p3 = ImageCms.ImageCmsProfile(io.BytesIO(pyvips.Operation.call("profile_load", "p3")))
    with Image.open(io.BytesIO(avif())) as image:
        shown = ImageCms.profileToProfile(image, p3, ImageCms.createProfile("sRGB"))
    assert shown is not None
    assert difference(convert_pixels(path) / 255, np.asarray(shown) / 255) < 0.7


@pytest.mark.parametrize("form", ["AVIF", "GIF"])
def test_only_the_first_picture_of_an_animation_is_shown_and_noted(
    tmp_path: Path, form: str
) -> None:
    others = [Image.new("RGB", IMAGE.size, "white")]
    options: dict[str, Any] = {"loop": 0} if form == "GIF" else {"quality": 100}
    body = saved(IMAGE, form, save_all=True, append_images=others, **options)
    assert [note.code for note in header_of(body, tmp_path).notes] == ["animation-stilled"]
    assert difference(convert_pixels(tmp_path / "m") / 255, picture()) < 4


def test_a_gif_whose_codes_end_early_is_damaged(tmp_path: Path) -> None:
    body = saved(Image.fromarray(np.arange(200, dtype="u1").reshape(10, 20)), "GIF")
    rows = body.index(b"\x2c\0\0\0\0\x14\0\x0a\0")
    path = tmp_path / "m.gif"
    path.write_bytes(changed(body, rows + 7, 11))
    with pytest.raises(MasterRejected, match="200 pixels instead of 220"):
        convert_pixels(path)
    path.write_bytes(body[:-1])
    with pytest.raises(MasterRejected, match="the GIF ends"):
        convert_pixels(path)


def test_what_cannot_be_read_of_a_bmp_is_named(tmp_path: Path) -> None:
    body = saved(IMAGE.quantize(), "BMP")
    assert code_of(changed(body, 30, 1), tmp_path) == "unsupported-compression"
    assert code_of(changed(body, 28, 16), tmp_path) == "unsupported-depth"
    assert code_of(body[:-1], tmp_path) == "damaged-file"
    assert code_of(b"BMW, a letter" + bytes(90), tmp_path) == "unreadable-file"


@pytest.mark.parametrize("size", [(1, 1), (7, 5), (33, 2)])
@pytest.mark.parametrize("mode", ["1", "P", "RGB"])
def test_bmps_of_every_width_are_shown(tmp_path: Path, size: tuple[int, int], mode: str) -> None:
    image = IMAGE.resize(size).convert(mode)
    (tmp_path / "m.bmp").write_bytes(saved(image, "BMP"))
    assert (convert_pixels(tmp_path / "m.bmp") == np.asarray(image.convert("RGB"))).all()


def test_exif_and_xmp_of_an_avif_are_read(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[Tag.ARTIST] = "Jan Steen"
    body = avif(exif=exif.tobytes(), xmp=b"<x/>")
    metadata = read_metadata(tmp_path / "m", header_of(body, tmp_path))
    assert metadata.entries[Tag.ARTIST].data == b"Jan Steen\0"
    assert metadata.entries[Tag.XMP].data == b"<x/>"


def test_a_palette_of_grays_is_shown(tmp_path: Path) -> None:
    """libvips makes one sample of it, which used to be taken for another picture."""
    levels = np.arange(256, dtype="u1").reshape(16, 16)
    image = Image.fromarray(levels, "L").convert("P")
    for suffix in ("tif", "png", "gif", "bmp"):
        path = tmp_path / f"m.{suffix}"
        image.save(path)
        assert (convert_pixels(path)[..., 0] == levels).all()


def test_what_is_cut_into_tiny_parts_or_rows_is_too_expensive(tmp_path: Path) -> None:
    gif = saved(IMAGE.quantize(), "GIF")
    screen = 13 + 3 * 256
    flood = b"\x21\xfe" + b"\1x" * 400_000 + b"\0"
    assert code_of(gif[:screen] + flood + gif[screen:], tmp_path) == "too-expensive-to-read"
    tall = changed(saved(IMAGE, "BMP"), 18, 1, 5_000_000, code="<i")
    assert code_of(tall, tmp_path) == "unreadable-file"
    body = avif()
    at = body.index(b"meta") - 4
    long = (5 << 20).to_bytes(4) + body[at + 4 :] + bytes(5 << 20)
    assert code_of(body[:at] + long, tmp_path) == "too-expensive-to-read"


def bmp_with_masks(header_bytes: int, bits: int, alpha: int) -> bytes:
    """A BMP of one pixel whose header is one of the longer ones, with a mask of transparency."""
    masks = struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, alpha)
    after = (masks + b"BGRs" + bytes(120))[: header_bytes - 40]
    compression = 3 if bits == 32 else 0
    info = struct.pack("<IiiHHIIiiII", header_bytes, 1, 1, 1, bits, compression, 4, 0, 0, 0, 0)
    start = 14 + header_bytes
    return struct.pack("<2sIII", b"BM", start + 4, 0, start) + info + after + b"\x30\x20\x10\x80"


@pytest.mark.parametrize(
    ("header_bytes", "bits", "alpha", "noted"),
    [
        (124, 32, 0xFF000000, True),
        (108, 32, 0xFF000000, True),
        (56, 32, 0xFF000000, True),
        (108, 32, 0x000000FF, True),
        (108, 32, 0, False),
        (108, 24, 0xFF000000, False),
        (52, 32, 0, False),
    ],
)
def test_transparency_that_a_bmps_header_states_is_noted_as_left_out(
    tmp_path: Path, header_bytes: int, bits: int, alpha: int, noted: bool
) -> None:
    """A header of 52 bytes ends before the mask: what follows are pixels."""
    notes = header_of(bmp_with_masks(header_bytes, bits, alpha), tmp_path).notes
    assert ("the transparency of a BMP" in [note.value for note in notes]) is noted
