"""What a header tells, and what is refused before any pixel is read."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from tests.rigs.bombs import measure_bombs
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.header import Header, check_size, open_master, read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.store.ranged import RangedFile

_TWELVE_BITS = {"photometric": "minisblack", "bitspersample": 12}
_OTHER_INKS = {"photometric": "separated", "extratags": [(332, "H", 1, 2, True)]}
_NEGATIVE_WITH_ALPHA = {
    "photometric": "miniswhite",
    "extrasamples": ["unassalpha"],
    "planarconfig": "contig",
}
LIMITS = MasterLimits(pixels=1_000_000, bytes=1024 * 1024)
Save = Callable[..., Path]


def read(master: Path, limits: MasterLimits = LIMITS) -> Header:
    with LocalFile(master) as file:
        return read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), limits)


def code_of(call: Callable[[], Any]) -> str:
    with pytest.raises(MasterRejected) as raised:
        call()
    rejection = raised.value.rejection
    assert rejection.sentence.endswith(".")
    assert rejection.value
    return rejection.code


def test_a_header_names_colour_depth_and_profile(
    picture: Any, save: Save, adobe_profile: bytes
) -> None:
    pixels = (picture * 65535).astype("u2")
    header = read(save("m.tif", pixels, photometric="rgb", iccprofile=adobe_profile))
    assert header == Header(
        format="tiff",
        page=0,
        width=700,
        height=500,
        colour="rgb",
        bits=16,
        extra_bands=0,
        orientation=1,
        profile="usable",
        compression="none",
        icc=adobe_profile,
        needs=header.needs,
        decoder_bytes=0,
    )


def test_a_profile_for_other_colours_is_noticed(save: Save, gray_profile: bytes) -> None:
    pixels = np.zeros((9, 9, 3), "u1")
    header = read(save("m.tif", pixels, photometric="rgb", iccprofile=gray_profile))
    assert header.profile == "mismatched"
    [note] = header.notes
    assert (note.code, note.value) == ("profile-mismatched", "GRAY profile, rgb image")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"Dear colleague, please find attached", "not-an-image"),
        (b"8BPS\0\1", "damaged-file"),
        (b"%PDF-1.7", "unsupported-format"),
        (b"GIF89a", "damaged-file"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "unsupported-format"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "unreadable-file"),
        (b"\xff\x4f\xff\x51", "unreadable-file"),
        (b"II*\0\xff\xff\xff\x7f", "damaged-file"),
        (b"\xff\xd8\xff\xe0", "unreadable-file"),
    ],
)
def test_what_is_no_readable_image_is_refused(tmp_path: Path, body: bytes, code: str) -> None:
    master = tmp_path / "m.tif"
    master.write_bytes(body)
    assert code_of(lambda: read(master)) == code


def test_file_sizes_have_limits() -> None:
    check_size(LIMITS.bytes, LIMITS)
    assert code_of(lambda: check_size(0, LIMITS)) == "empty-file"
    assert code_of(lambda: check_size(LIMITS.bytes + 1, LIMITS)) == "too-large"


@pytest.mark.parametrize(
    ("pixels", "options", "code"),
    [
        (np.zeros((9, 9, 3), "f8"), {"photometric": "rgb"}, "unsupported-depth"),
        (np.zeros((9, 9), "f4"), {"photometric": "miniswhite"}, "unsupported-depth"),
        (np.zeros((9, 9, 4), "f4"), {"photometric": "separated"}, "unsupported-depth"),
        (np.zeros((9, 9, 3), "u4"), {"photometric": "rgb"}, "unsupported-depth"),
        (np.zeros((9, 9, 3), "i2"), {"photometric": "rgb"}, "unsupported-depth"),
        (np.zeros((9, 9, 3), "i1"), {"photometric": "rgb"}, "unsupported-depth"),
        (np.zeros((9, 9), "u2"), _TWELVE_BITS, "unsupported-depth"),
        (np.zeros((9, 9, 3), bool), {"photometric": "rgb"}, "unsupported-depth"),
        (np.zeros((9, 9, 3), "u1"), {"photometric": "ycbcr"}, "unsupported-colour"),
        (np.zeros((9, 9), "u2"), {"photometric": "cfa"}, "unsupported-colour"),
        (np.zeros((9, 9, 3), "u2"), {"photometric": "linear_raw"}, "unsupported-colour"),
        (np.zeros((9, 9, 3), "u1"), {"photometric": "logluv"}, "unsupported-colour"),
        (np.zeros((9, 9, 4), "u1"), _OTHER_INKS, "unsupported-colour"),
        (np.zeros((9, 9, 2), "u1"), _NEGATIVE_WITH_ALPHA, "unsupported-colour"),
        (np.zeros((1001, 1000), "u1"), {"photometric": "minisblack"}, "too-large"),
    ],
)
def test_what_cannot_be_converted_faithfully_is_refused(
    save: Save, pixels: Any, options: dict[str, Any], code: str
) -> None:
    master = save("m.tif", pixels, **options)
    assert code_of(lambda: read(master)) == code


@pytest.mark.parametrize(
    ("compression", "name"),
    [
        ("zstd", "Zstandard"),
        ("lzma", "LZMA"),
        ("jpeg2000", "JPEG 2000"),
        ("jpegxl", "JPEG XL"),
        ("lerc", "LERC"),
        ("png", "method 34933"),
    ],
)
def test_a_compression_that_cannot_be_undone_is_named(
    save: Save, compression: str, name: str
) -> None:
    master = save("m.tif", np.zeros((64, 64, 3), "u1"), photometric="rgb", compression=compression)
    with pytest.raises(MasterRejected) as raised:
        read(master)
    assert raised.value.rejection.code == "unsupported-compression"
    assert raised.value.rejection.value == name


def test_float_samples_of_another_scale_are_refused(save: Save) -> None:
    master = save("m.tif", np.full((9, 9, 3), 4000.0, "f4"), photometric="rgb")
    header = read(master)
    with pytest.raises(MasterRejected, match="values-out-of-range"), open_master(master, header):
        pass


def test_many_pages_are_too_many(tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "m.tif") as writer:
        for _ in range(5):
            writer.write(np.zeros((20, 30, 3), "u1"), photometric="rgb")
    assert code_of(lambda: read(tmp_path / "m.tif", replace(LIMITS, pages=4))) == "too-many-pages"
    header = read(tmp_path / "m.tif", replace(LIMITS, pages=5))
    assert [note.code for note in header.notes] == ["pages-left-out"]


def test_a_page_that_is_not_all_there_betrays_the_file(tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "m.tif") as writer:
        writer.write(np.zeros((200, 300, 3), "u1"), photometric="rgb")
        writer.write(np.zeros((20, 30, 3), "u1"), photometric="rgb")
    body = (tmp_path / "m.tif").read_bytes()
    (tmp_path / "m.tif").write_bytes(body[:-10])
    assert code_of(lambda: read(tmp_path / "m.tif")) == "damaged-file"


def test_what_a_conversion_needs_is_limited(save: Save) -> None:
    master = save("m.tif", np.zeros((900, 900, 3), "u1"), photometric="rgb")
    needs = read(master).needs
    assert needs.disk_bytes == master.stat().st_size + 900 * 900
    tight = replace(LIMITS, memory_bytes=needs.memory_bytes - 1)
    assert code_of(lambda: read(master, tight)) == "needs-too-much-memory"
    tight = replace(LIMITS, disk_bytes=needs.disk_bytes - 1)
    assert code_of(lambda: read(master, tight)) == "needs-too-much-disk"


def test_a_turned_picture_waits_on_disk_in_full(tmp_path: Path) -> None:
    """Also where the header's own reader does not know that it is turned: in a JPEG's EXIF."""
    exif = Image.Exif()
    exif[274] = 6
    for options, bytes_per_pixel in (({}, 1), ({"exif": exif}, 4)):
        path = tmp_path / "m.jpg"
        Image.new("RGB", (300, 200)).save(path, **options)
        needs = read(path).needs
        assert needs.disk_bytes == path.stat().st_size + 300 * 200 * bytes_per_pixel
        tight = replace(LIMITS, disk_bytes=needs.disk_bytes - 1)
        assert code_of(lambda: read(path, tight)) == "needs-too-much-disk"  # noqa: B023


def test_extra_samples_are_noted(save: Save) -> None:
    pixels = np.zeros((9, 9, 5), "u1")
    header = read(save("m.tif", pixels, photometric="rgb", extrasamples=["unspecified"] * 2))
    assert (header.extra_bands, header.alpha) == (2, None)
    assert [note.code for note in header.notes] == ["extra-samples-dropped"]


def test_a_camera_raw_file_is_not_taken_for_its_preview(tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "m.tif") as writer:
        writer.write(np.zeros((20, 30, 3), "u1"), photometric="rgb", subifds=1)
        writer.write(np.zeros((200, 300), "u2"), photometric="minisblack")
    assert code_of(lambda: read(tmp_path / "m.tif")) == "unsupported-format"


def test_a_pyramid_in_subifds_is_read_at_full_size(tmp_path: Path) -> None:
    with tifffile.TiffWriter(tmp_path / "m.tif") as writer:
        writer.write(np.zeros((200, 300, 3), "u1"), photometric="rgb", subifds=1)
        writer.write(np.zeros((100, 150, 3), "u1"), photometric="rgb")
    assert read(tmp_path / "m.tif").width == 300


@pytest.mark.slow
def test_bombs_are_refused_at_once() -> None:
    """They take milliseconds and 60 MiB; a busy machine is granted more."""
    for figures in measure_bombs().values():
        assert figures["code"] == "too-large"
        assert figures["seconds"] < 1
        assert figures["peak_mebibytes"] < 100


def test_a_header_costs_few_reads(save: Save) -> None:
    master = save("m.tif", np.zeros((900, 1000, 3), "u1"), photometric="rgb", rowsperstrip=1)
    store = MemoryObjectStore()
    store.upload(master, "m.tif", content_type="image/tiff", metadata={})
    file = RangedFile(store, "m.tif", master.stat().st_size)
    read_header(file, "tiff", LIMITS)
    assert file.reads <= 2
