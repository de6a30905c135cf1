"""First inputs of every target: small files of every writer and layout, real addresses."""

import io
import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyvips
import tifffile
from PIL import Image

from tests.fuzz import fuzz_address, fuzz_strips, fuzz_tile
from tests.fuzz.iipsrv_seeds import (
    encoder_inputs,
    iipsrv_inputs,
    regions_inputs,
    requests_inputs,
    resampler_inputs,
)
from tests.fuzz.oracle import virtual
from tests.rigs.corpora.format_masters import make_all
from tests.rigs.corpora.jpeg2000_masters import (
    box,
    codestream,
    defined,
    enumerated,
    jp2,
    profiled,
    tiled,
)
from vitrine.deliver.embed.srgb import SRGB
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_output import FileOutput
from vitrine.ingest.convert.pyramid.pyramid_pages import plan_pages
from vitrine.ingest.convert.pyramid.pyramid_writer import write_pyramid
from vitrine.ingest.convert.pyramid.tile_encoder import TileEncoder
from vitrine.store.tiff.entry import opaque, rationals, shorts, text
from vitrine.store.tiff.tags import EXIF_COLOUR_SPACE, EXIF_DATE_TIME_ORIGINAL, Tag, Type
from vitrine.store.tiff.writing import NewDirectory, lay_out

MAX_SEED_LENGTH = 16 << 10
_HEAD = 2_048
"""Bytes kept of a larger master: its header, and its directory if that comes first."""
PIXELS = np.random.default_rng(4).integers(0, 256, (70, 50, 3), "u1")
PACKET = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf='
    b'"http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
    b'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" '
    b'xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" xmp:CreateDate="2026-11-20" '
    b'xmpRights:WebStatement="https://example.org/">'
    b'<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">CC0 &amp; free</rdf:li></rdf:Alt>'
    b"</dc:rights><dc:creator><rdf:Seq><rdf:li>Rembrandt</rdf:li></rdf:Seq></dc:creator>"
    b"<dc:title>Night Watch</dc:title></rdf:Description></rdf:RDF></x:xmpmeta>"
)
IMAGES = [(700, 500), (7300, 4100), (1, 1), (1, 60_000), (500_000, 3)]
PATHS = """/iiif/3/a/full/max/0/default.jpg
/iiif/2/a/full/full/0/default.jpg
/iiif/a%2Fb%20%C3%A9/square/200,/90/color.png
/iiif/3/a/info.json
/iiif/2/a/
/iiif/3/a/0,0,256,256/^!300,300/!180/gray.webp
/iiif/3/a/pct:10.5,10,.5,33.333/^pct:120/270/bitonal.tif
/iiif/2/a/125,15,120,140/,150/22.5/default.gif
/iiif/2/a/pct:0,0,100,100/pct:50/360/default.jpg
/iiif/3/a/full/^max/0/default.jpg
/iiif/3/a/256,0,256,256/256,256/0/default.jpg
/iiif/2/a/0,0,512,500/256,/0/color.jpg
/iiif/3/a%2Fb/512,0,188,500/94,250/0/default.jpg
/iiif/2/a/7168,4096,132,4/,4/0/default.jpg
/iiif/3/a/%25/x/%zz/default.jpg
/healthz""".splitlines()


def write_seeds(target: str, folder: Path) -> int:
    """Write the first inputs of `target` into `folder` and return how many."""
    seeds = list(_SEEDS[target]())
    for number, seed in enumerate(seeds):
        (folder / f"seed-{number:03}").write_bytes(seed)
    return len(seeds)


def _addresses() -> Iterator[bytes]:
    for width, height in IMAGES:
        for area, side in ((25_000_000, 65_500), (1_000, 40)):
            for path in PATHS:
                yield fuzz_address.packed(width, height, area, side, path)


def _tiffs() -> Iterator[bytes]:
    yield from (virtual(data) for data in (*_made_tiffs(), described()))
    with tempfile.TemporaryDirectory() as folder:
        for path in make_all(Path(folder)).values():
            data = path.read_bytes()
            if path.suffix == ".tif":
                yield virtual(data if len(data) <= MAX_SEED_LENGTH else data[:_HEAD], len(data))


def _made_tiffs() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        yield _access_master(Path(folder))
    image = pyvips.Image.new_from_array(PIXELS).copy(interpretation="srgb")
    for subifd in (False, True):
        for big in (False, True):
            yield image.tiffsave_buffer(
                compression="jpeg",
                tile=True,
                tile_width=16,
                tile_height=16,
                pyramid=True,
                subifd=subifd,
                bigtiff=big,
            )
    for order in "<>":
        for big in (False, True):
            yield _tifffile_pyramid(order, big)


def _access_master(folder: Path) -> bytes:
    """Return a pyramid of ours: 300 x 20 pixels in two levels."""
    encoder = TileEncoder(256, 50, "444")
    pixels = np.full((20, 300, 3), 90, "u1")
    plan = plan_pages(300, 20, encoder, profile=SRGB, metadata=Metadata({Tag.ARTIST: text("R")}))
    image = pyvips.Image.new_from_array(pixels).copy(interpretation="srgb")
    path = folder / "ours.tif"
    with FileOutput(path) as output:
        write_pyramid(image, plan, encoder, output, scratch=folder, threads=1)
    return path.read_bytes()


def _tifffile_pyramid(order: Any, big: bool) -> bytes:
    file = io.BytesIO()
    with tifffile.TiffWriter(file, byteorder=order, bigtiff=big) as writer:
        options: dict[str, Any] = {"tile": (16, 16), "photometric": "rgb", "metadata": None}
        writer.write(PIXELS[:40, :40], subifds=1, description="Night Watch", **options)
        writer.write(PIXELS[:20, :20], subfiletype=1, **options)
    return file.getvalue()


def described() -> bytes:
    """Return a TIFF page with all metadata and no pixels."""
    entries = {
        Tag.IMAGE_WIDTH: shorts(300),
        Tag.IMAGE_LENGTH: shorts(200),
        Tag.IMAGE_DESCRIPTION: text("Night Watch"),
        Tag.ARTIST: text("Rembrandt"),
        Tag.COPYRIGHT: text("CC0"),
        Tag.DATE_TIME: text("2026:11:21 08:00:00"),
        Tag.XMP: opaque(PACKET, Type.BYTE),
        Tag.ICC_PROFILE: opaque(SRGB),
    }
    exif = {EXIF_DATE_TIME_ORIGINAL: text("2026:11:20 07:00:00"), EXIF_COLOUR_SPACE: shorts(1)}
    gps = {1: text("N"), 2: rationals((52, 1), (21, 1), (36, 1))}
    children: dict[int, NewDirectory] = {
        Tag.EXIF_IFD: NewDirectory(exif),
        Tag.GPS_IFD: NewDirectory(gps),
    }
    layout = lay_out([NewDirectory({int(tag): entry for tag, entry in entries.items()}, children)])
    return layout.head + layout.tail


def _metadata() -> Iterator[bytes]:
    yield from (b"\0" + virtual(data) for data in (described(), *_made_tiffs()))
    yield b"\3" + PACKET
    for number, format_ in enumerate(("JPEG", "PNG", "WEBP", "GIF", "TIFF", "AVIF")):
        for mode in ("RGB", "L", "RGBA"):
            file = io.BytesIO()
            image = Image.fromarray(PIXELS[:9, :9]).convert(mode)
            if mode != "RGBA" or format_ != "JPEG":
                carried = {"icc_profile": SRGB, "exif": _some_exif()}
                image.save(file, format_, **({} if format_ == "GIF" else carried))
                yield bytes((4 + number,)) + file.getvalue()


def _some_exif() -> bytes:
    directory = struct.pack("<HHHI4sI", 1, Tag.ORIENTATION, Type.SHORT, 1, b"\1\0\0\0", 0)
    return b"Exif\0\0II*\0\x08\0\0\0" + directory


def _tiles() -> Iterator[bytes]:
    """Yield tiles as libvips and libjpeg write them: tables apart or not, gray, RGB, subsampled."""
    photometrics = {"YCbCr": 6, "RGB": 2, "L": 1}
    for mode, photometric in photometrics.items():
        for subsampling in (0, 2):
            file = io.BytesIO()
            image = Image.fromarray(PIXELS[:32, :32]).convert("L" if mode == "L" else "RGB")
            options = {"keep_rgb": True} if mode == "RGB" else {"subsampling": subsampling}
            image.save(file, "JPEG", quality=60, **options)
            yield fuzz_tile.packed(photometric, b"", file.getvalue())
    encoder = TileEncoder(32, 60, "444")
    encoded = encoder.encode(PIXELS[:32, :32])
    yield fuzz_tile.packed(6, encoder.tables, encoded)


def _strips() -> Iterator[bytes]:
    """Yield strips that fit, of each sampling, and others after the same first one."""
    pixels = np.tile(PIXELS, (3, 1, 1))[:, :24]
    for mode, subsampling in (("RGB", 0), ("RGB", 1), ("RGB", 2), ("L", 0)):
        first, last = (_strip(part, mode, subsampling) for part in (pixels[:128], pixels[128:158]))
        others = (last, first, last[:-40] + last[-2:], _strip(pixels[:30], mode, 2))
        for other in others:
            yield fuzz_strips.packed(23, [(128, first), (30, other)])
        yield fuzz_strips.packed(23, [(128, first), (128, first), (30, last)])


def _strip(pixels: Any, mode: str, subsampling: int) -> bytes:
    file, image = io.BytesIO(), Image.fromarray(pixels).convert(mode)
    image.save(file, "JPEG", quality=60, subsampling=subsampling, restart_marker_rows=1)
    return file.getvalue()


def _jpeg2000s() -> Iterator[bytes]:
    """Yield files and codestreams with every box and marker that we read."""
    pixels = PIXELS[:20, :30]
    stream = codestream(pixels)
    resolution = box(b"res ", box(b"resc", struct.pack(">HHHHbb", 300, 254, 300, 254, 4, 4)))
    channels = defined((0, 0, 3), (1, 0, 2), (2, 0, 1))
    described = box(b"uuid", b"JpgTiffExif->JP2", _some_exif()[6:])
    yield virtual(jp2(stream, enumerated(16), channels, resolution, after=described))
    yield virtual(jp2(stream, profiled(SRGB), brand=b"jpx ", after=box(b"jp2c", stream)))
    palette = box(b"pclr", struct.pack(">HB", 256, 3), b"\7\7\7", bytes(range(256)) * 3)
    mapping = box(b"cmap", *(struct.pack(">HBB", 0, 1, column) for column in range(3)))
    yield virtual(jp2(codestream(pixels[..., 0]), enumerated(18), palette, mapping))
    yield from (virtual(data) for data in (stream, tiled(pixels, 16)))


_SEEDS = {
    "tile": _tiles,
    "strips": _strips,
    "tiff_reader": _tiffs,
    "metadata": _metadata,
    "address": _addresses,
    "jpeg2000": _jpeg2000s,
}
TARGETS = tuple(_SEEDS)
"""Names of the targets in Python; `fuzz_<name>.py` is the program."""
_NATIVE_SEEDS = {
    "iipsrv": iipsrv_inputs,
    "regions": regions_inputs,
    "requests": requests_inputs,
    "encoder": encoder_inputs,
    "resampler": resampler_inputs,
}
_SEEDS |= _NATIVE_SEEDS
NATIVE = tuple(_NATIVE_SEEDS)
"""Names of the targets in C++: `tests/fuzz/iipsrv/build` builds the programs."""
