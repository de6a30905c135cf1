"""What a master says about itself, its access master says too; exiftool is the judge."""

import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
import tifffile
from PIL import Image

from tests.exif_tool import run_exiftool
from tests.unit.ingest.made_pyramids import picture, write_file
from vitrine.ingest.convert.access_master import to_file
from vitrine.ingest.convert.conversion import convert, read_metadata
from vitrine.ingest.convert.metadata.carried_metadata import Metadata, adapt_to_srgb
from vitrine.ingest.convert.metadata.metadata_sources import from_tiff
from vitrine.ingest.inspect.header import read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.recipe import STANDARD
from vitrine.store.tiff.entry import longs, opaque, rationals, shorts
from vitrine.store.tiff.tags import Tag, Type
from vitrine.store.tiff.writing import NewDirectory, lay_out

pytestmark = pytest.mark.slow

PIXELS = picture(300, 200)
LIMITS = MasterLimits(pixels=10_000_000, bytes=64 << 20)
DESCRIBED = {
    "IFD0:ImageDescription": "Die Nachtwache - Öl auf Leinwand",
    "IFD0:Artist": "Rembrandt van Rijn",
    "IFD0:Copyright": "CC0",
    "IFD0:Make": "Phase One",
    "IFD0:Model": "IQ4 150MP",
    "IFD0:Software": "Capture One",
    "IFD0:ModifyDate": "2026:11:21 08:00:00",
    "IFD0:XResolution": "600",
    "IFD0:YResolution": "400",
    "IFD0:ResolutionUnit": "inches",
    "ExifIFD:DateTimeOriginal": "2026:11:20 07:00:00",
    "ExifIFD:ExposureTime": "0.008",
    "ExifIFD:FNumber": "11",
    "ExifIFD:ISO": "50",
    "ExifIFD:LensModel": "120mm",
    "ExifIFD:SerialNumber": "XY-17",
    "ExifIFD:OwnerName": "A. Curator",
    "ExifIFD:UserComment": "grüße",
    "ExifIFD:ColorSpace": "Uncalibrated",
    "ExifIFD:SubjectArea": "10 20 30",
    "InteropIFD:InteropIndex": "R03 - DCF option file (Adobe RGB)",
    "GPS:GPSLatitude": "52.36",
    "GPS:GPSLatitudeRef": "N",
    "GPS:GPSLongitude": "4.885",
    "GPS:GPSLongitudeRef": "E",
    "XMP-dc:Title": "The Night Watch",
    "XMP-dc:Rights": "CC0 - public domain",
    "XMP-photoshop:Credit": "Rijksmuseum",
    "IPTC:Caption-Abstract": "Öl auf Leinwand, 379 x 453 cm, " + "x" * 300,
    "IPTC:By-line": "Rembrandt",
    "IPTC:CodedCharacterSet": "UTF8",
}
NOT_COMPARED = re.compile(
    "Image(Width|Height)|BitsPerSample|Compression|Photometric.*|Strip.*|SamplesPerPixel|Rows.*"
    "|PlanarConfiguration|SubfileType|Tile.*|JPEGTables|YCbCr.*|ReferenceBlackWhite|Orientation"
    "|ExtraSamples|SampleFormat|ColorSpace|InteropIndex"
)
"""Tags that store pixels and colours: the access master's own."""
GROUPS = ("IFD0", "ExifIFD", "GPS", "InteropIFD", "XMP", "IPTC", "Photoshop")


def describe(path: Path, but: tuple[str, ...] = ()) -> Path:
    """Write every tag into the file with exiftool."""
    tags = [f"-{tag}={value}" for tag, value in DESCRIBED.items() if not tag.startswith(but or "-")]
    run_exiftool("-q", "-overwrite_original", *tags, path)
    return path


def exiftool(path: Path) -> dict[str, Any]:
    """Every descriptive value by group and name."""
    [found] = json.loads(run_exiftool("-json", "-G1", "-a", "-struct", "-b", path))
    return {
        name: value
        for name, value in found.items()
        if name.startswith(GROUPS) and not NOT_COMPARED.fullmatch(name.rpartition(":")[2])
    }


def assert_valid(path: Path) -> None:
    output = run_exiftool("-validate", "-error", "-warning", "-a", path)
    assert "Error" not in output, output
    assert "Validate" in output


def tiff_metadata(path: Path, page: int = 0) -> Metadata:
    data = path.read_bytes()
    return from_tiff(lambda offset, size: data[offset : offset + size], len(data), page)


def master_metadata(path: Path) -> Metadata:
    formats = {".jpg": "jpeg", ".png": "png", ".webp": "webp"}
    with LocalFile(path) as file:
        header = read_header(file, formats[path.suffix], LIMITS)
    return read_metadata(path, header)


def access_master(metadata: Metadata, path: Path, orientation: int = 1) -> Path:
    write_file(PIXELS, path, metadata=adapt_to_srgb(metadata, orientation=orientation))
    return path


@pytest.mark.parametrize("byteorder", ["<", ">"])
def test_exiftool_sees_a_tiff_masters_values_again(tmp_path: Path, byteorder: Any) -> None:
    master = tmp_path / "m.tif"
    tifffile.imwrite(master, PIXELS, photometric="rgb", byteorder=byteorder, metadata=None)
    describe(master)
    metadata = tiff_metadata(master)
    assert metadata.losses == ()
    served = access_master(metadata, tmp_path / "a.tif")
    before, after = exiftool(master), exiftool(served)
    assert len(before) >= len(DESCRIBED) - 1
    assert after == before
    assert_valid(served)


def test_bigtiff_carries_the_same(tmp_path: Path) -> None:
    """exiftool reads BigTIFF in part and writes none: a master is made of one it described."""
    master, big = tmp_path / "m.tif", tmp_path / "b.tif"
    tifffile.imwrite(master, PIXELS, photometric="rgb", metadata=None)
    metadata = tiff_metadata(describe(master))
    page = NewDirectory({**metadata.entries, Tag.IMAGE_WIDTH: longs(1)}, dict(metadata.children))
    layout = lay_out([page], big=True)
    big.write_bytes(layout.head + layout.tail)
    assert tiff_metadata(big) == metadata
    with tifffile.TiffFile(big) as file, tifffile.TiffFile(master) as described:
        for tag in (Tag.EXIF_IFD, Tag.GPS_IFD):
            found, expected = (item.pages[0].tags[tag].value for item in (file, described))
            place = {"InteroperabilityTag": None}  # an offset
            assert {**found, **place} == {**expected, **place}


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
def test_exiftool_sees_other_masters_values_again(tmp_path: Path, suffix: str) -> None:
    master = tmp_path / f"m.{suffix}"
    pyvips.Image.new_from_array(PIXELS).copy(interpretation="srgb").write_to_file(
        str(master), keep="none"
    )
    # exiftool writes no IPTC into WebP.
    describe(master, ("IPTC",) if suffix == "webp" else ())
    served = access_master(master_metadata(master), tmp_path / "a.tif")
    before, after = exiftool(master), exiftool(served)
    assert "GPS:GPSLatitude" in before
    assert {name: after.get(name) for name in before} == before
    assert_valid(served)


@pytest.mark.parametrize(
    ("orientation", "resolution"), [(4, (600, 400)), (5, (400, 600)), (8, (400, 600))]
)
def test_the_resolution_turns_with_the_picture(
    orientation: int, resolution: tuple[int, int]
) -> None:
    across, down = rationals((600, 1)), rationals((400, 1))
    metadata = Metadata({Tag.X_RESOLUTION: across, Tag.Y_RESOLUTION: down})
    turned = adapt_to_srgb(metadata, orientation=orientation).entries
    values = {600: across, 400: down}
    assert (turned[Tag.X_RESOLUTION], turned[Tag.Y_RESOLUTION]) == tuple(
        values[value] for value in resolution
    )


def test_colours_are_declared_srgb_and_upright(tmp_path: Path) -> None:
    master = tmp_path / "m.tif"
    tifffile.imwrite(master, PIXELS, photometric="rgb", metadata=None)
    describe(master)
    run_exiftool("-q", "-overwrite_original", "-n", "-IFD0:Orientation=6", master)
    served = access_master(tiff_metadata(master), tmp_path / "a.tif", orientation=6)
    [found] = json.loads(run_exiftool("-json", "-G1", served))
    assert found["ExifIFD:ColorSpace"] == "sRGB"
    assert "IFD0:Orientation" not in found
    assert (found["IFD0:XResolution"], found["IFD0:YResolution"]) == (400, 600)


def test_iptc_survives_whatever_its_type_and_order(tmp_path: Path) -> None:
    """libtiff swaps IPTC as 32-bit integers, so big-endian files hold it in either order."""
    iptc = b"\x1c\x02\x78\x00\x09Nightwatch"[:14] + bytes(2)
    swapped = np.frombuffer(iptc, "<u4").astype(">u4").tobytes()
    for number, stored in enumerate((iptc, swapped)):
        master = tmp_path / f"{number}.tif"
        words = tuple(struct.unpack(">4I", stored))
        tifffile.imwrite(
            master,
            PIXELS,
            photometric="rgb",
            byteorder=">",
            metadata=None,
            extratags=[(Tag.IPTC, 4, 4, words, True)],
        )
        assert tiff_metadata(master).entries[Tag.IPTC].data == iptc


def test_a_silent_large_page_takes_what_the_first_page_says(tmp_path: Path) -> None:
    master = tmp_path / "m.tif"
    with tifffile.TiffWriter(master) as file:
        file.write(PIXELS[:20, :20], photometric="rgb", metadata=None, description="overview")
        file.write(PIXELS, photometric="rgb", metadata=None, software="Capture One")
    entries = tiff_metadata(master, page=1).entries
    assert entries[Tag.IMAGE_DESCRIPTION].data == b"overview\0"
    assert entries[Tag.SOFTWARE].data == b"Capture One\0"


def test_large_blocks_lie_behind_the_pixels(tmp_path: Path) -> None:
    packet = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>" + b" " * 40_000 + b"</x:xmpmeta>"
    _, written = write_file(
        PIXELS, tmp_path / "a.tif", metadata=Metadata({Tag.XMP: opaque(packet, Type.BYTE)})
    )
    assert written.head_bytes < 4_000
    assert tiff_metadata(tmp_path / "a.tif").entries[Tag.XMP].data == packet


@pytest.mark.parametrize("suffix", ["jpg", "png"])
def test_a_density_outside_of_exif_is_kept_and_none_is_invented(
    tmp_path: Path, suffix: str
) -> None:
    master = tmp_path / f"m.{suffix}"
    Image.fromarray(PIXELS).save(master, dpi=(300, 300))
    entries = master_metadata(master).entries
    numerator, denominator = struct.unpack("<II", entries[Tag.X_RESOLUTION].data)
    assert numerator / denominator * 2.54 == pytest.approx(300, abs=0.05)
    assert entries[Tag.RESOLUTION_UNIT] == shorts(3)
    silent = tmp_path / f"silent.{suffix}"
    Image.fromarray(PIXELS).save(silent)
    assert master_metadata(silent).entries == {}


@pytest.mark.parametrize("suffix", ["tif", "jpg"])
def test_a_conversion_carries_the_metadata(tmp_path: Path, suffix: str) -> None:
    master, path = tmp_path / f"m.{suffix}", tmp_path / "a.tif"
    if suffix == "tif":
        tifffile.imwrite(master, PIXELS, photometric="rgb", metadata=None)
    else:
        Image.fromarray(PIXELS).save(master)
    describe(master)
    with LocalFile(master) as file:
        header = read_header(file, {"tif": "tiff", "jpg": "jpeg"}[suffix], LIMITS)
    converted = convert(master, header, STANDARD, tmp_path, to_file(path))
    assert converted.losses == ()
    assert exiftool(path) == exiftool(master)
    assert_valid(path)
