"""First inputs of iipsrv's fuzzers: small pyramids of every writer, with the gateway's requests."""

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

from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_output import FileOutput
from vitrine.ingest.convert.pyramid.pyramid_pages import plan_pages
from vitrine.ingest.convert.pyramid.pyramid_writer import write_pyramid
from vitrine.ingest.convert.pyramid.tile_encoder import TileEncoder

TILE = 32
SECOND_FILE = b"==second file=="
"""Separator that `tests/fuzz/iipsrv/fastcgi.cc` looks for."""
PIXELS = np.random.default_rng(4).integers(0, 256, (75, 51, 3), "u1") // 8 + 100
SUBSAMPLINGS = ("444", "420")

# As `iipsrv_query` writes them: `?` is the file.
QUERIES = """RES=0&IIIF=?/0,0,51,75/20,29/0/default.jpg
RES=1&IIIF=?/0,0,51,75/25,37/90/gray.jpg
RES=2&IIIF=?/13,11,29,43/29,43/!0/default.jpg
RES=2&IIIF=?/0,0,32,32/32,32/0/default.jpg
RES=1&IIIF=?/50,74,1,1/300,300/!180/color.jpg
RES=0&IIIF=?/48,72,3,3/1,1/270/gray.jpg
IIIF=?/full/max/0/default.jpg
IIIF=?/square/!9,9/180/bitonal.jpg
IIIF=?/pct:1.5,2.25,50,33/pct:12.5/0/native
IIIF=?/full/,20/0/default.jpg
IIIF=?/full/20,/0/default.jpg
IIIF=?/info.json
FIF=?&WID=40&HEI=30&RGN=0.1,0.2,0.5,0.9&CVT=jpeg
FIF=?&RES=1&ROT=90&COL=gray&CVT=jpeg
RES=-1&IIIF=?/60,80,9,9/5,5/0/default.jpg
FIF=?&FIF=?&WID=1&HEI=40&CVT=jpeg
IIIF=?/full/pct:-1/0/default.jpg
IIIF=?/nan,0,inf,-1/1e99,/0/default.jpg
RES=99&IIIF=?/0,0,1e9,1e-9/400,1/0/default.jpg""".splitlines()


def iipsrv_inputs() -> Iterator[bytes]:
    """Yield requests and files: every file once with three requests, every request once."""
    files = list(_files())
    for number, file in enumerate(files):
        queries = (QUERIES[(3 * number + i) % len(QUERIES)] for i in range(3))
        yield packed("\n".join(queries), file)
    for query in QUERIES:
        yield packed(query, files[0])
    yield packed("\n".join((QUERIES[0], QUERIES[2])), files[0], files[-1])


def regions_inputs() -> Iterator[bytes]:
    """Yield steps and small files as `tests/fuzz/iipsrv/regions.cc` reads them."""
    generator = np.random.default_rng(6)
    for file in _small_files():
        for what in (0, 1, 17, 2, 10, 12):
            steps = b"".join(
                struct.pack("<BBHHBBB", what, level, *generator.integers(0, 6, 2), 9, 7, 0)
                for level in (1, 0, 1)
            )
            yield bytes((2 + 64 * (what % 2),)) + steps + file
        # Cuts of coefficients, on the grid of the blocks: eight times the numbers.
        cuts = ((0, 0, 0, 3, 2), (0, 1, 1, 2, 2), (1, 0, 0, 1, 1))
        steps = b"".join(struct.pack("<BBHHBBB", 3, *cut, 3) for cut in cuts)
        yield bytes((2,)) + steps + file


def requests_inputs() -> Iterator[bytes]:
    """Yield images and queries as `tests/fuzz/iipsrv/requests.cc` reads them."""
    generator = np.random.default_rng(7)
    for query in QUERIES:
        yield generator.integers(0, 256, 8, "u1").tobytes() + query.encode()


def encoder_inputs() -> Iterator[bytes]:
    """Yield images and what is done to them as `tests/fuzz/iipsrv/encoder.cc` reads them."""
    for number, (width, height) in enumerate(((1, 300), (40, 40), (16, 9), (1, 1), (7, 257))):
        for changes in (0, 1, 2 + 4 + 16, 64 + 32, 128 + 48, 255):
            size = struct.pack("<HHBB", width - 1, height - 1, number, changes)
            yield size + struct.pack("<HHB", 300, 65_000, 90) + PIXELS.tobytes()[:50]


def resampler_inputs() -> Iterator[bytes]:
    """Yield sizes and boxes as `tests/fuzz/iipsrv/resampler.cc` reads them, and pixels."""
    generator = np.random.default_rng(5)
    for length in (20, 40, 60, 90, 200):
        yield generator.integers(0, 256, length, "u1").tobytes()


def packed(queries: str, *files: bytes) -> bytes:
    """Return an input of `tests/fuzz/iipsrv/fastcgi.cc`."""
    return queries.encode() + b"\n\n" + SECOND_FILE.join(files)


def _files() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        for subsampling in SUBSAMPLINGS:
            for pixels in (PIXELS, PIXELS[:33, :32]):
                yield _access_master(Path(folder), pixels, subsampling)
    for bands in (3, 1):
        image = pyvips.Image.new_from_array(PIXELS[..., :bands])
        image = image.copy(interpretation="srgb" if bands > 1 else "b-w")
        for options in ({"Q": 60}, {"Q": 95}, {"bigtiff": True}):
            yield image.tiffsave_buffer(
                compression="jpeg",
                tile=True,
                tile_width=TILE,
                tile_height=TILE,
                pyramid=True,
                **options,
            )
    for compression in ("none", "deflate", "lzw"):
        image = pyvips.Image.new_from_array(PIXELS[..., 0])
        yield image.tiffsave_buffer(
            compression=compression, tile=True, tile_width=16, tile_height=16, pyramid=True
        )
    for pixels in (PIXELS.astype("u2") * 200, PIXELS.astype("f4"), np.dstack([PIXELS, PIXELS])):
        yield _tifffile_page(pixels)
    yield _bilevel()


def _small_files() -> Iterator[bytes]:
    """Yield pyramids of a few tiles and kilobytes."""
    for bands in (3, 1):
        image = pyvips.Image.new_from_array(PIXELS[:21, :35, :bands])
        image = image.copy(interpretation="srgb" if bands > 1 else "b-w")
        for options in (
            {"compression": "jpeg", "Q": 40},
            {"compression": "jpeg", "Q": 90, "bigtiff": True},
            {"compression": "deflate"},
        ):
            yield image.tiffsave_buffer(
                tile=True, tile_width=16, tile_height=16, pyramid=True, **options
            )
    yield _tifffile_page(PIXELS[:20, :20].astype("u2") * 200)
    yield _bilevel()
    with tempfile.TemporaryDirectory() as folder:
        yield _access_master(Path(folder), PIXELS[:21, :35], "444")


def _access_master(folder: Path, pixels: Any, subsampling: str) -> bytes:
    encoder = TileEncoder(TILE, 60, subsampling)
    height, width = pixels.shape[:2]
    plan = plan_pages(width, height, encoder, profile=b"", metadata=Metadata())
    image = pyvips.Image.new_from_array(pixels).copy(interpretation="srgb")
    path = folder / "ours.tif"
    with FileOutput(path) as output:
        write_pyramid(image, plan, encoder, output, scratch=folder, threads=1)
    return path.read_bytes()


def _tifffile_page(pixels: Any) -> bytes:
    file = io.BytesIO()
    with tifffile.TiffWriter(file, byteorder=">") as writer:
        writer.write(pixels[:40, :40], tile=(16, 16), photometric="rgb", metadata=None)
    return file.getvalue()


def _bilevel() -> bytes:
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        bits = np.asarray(Image.fromarray(PIXELS[..., 0]).convert("1"))[:20, :20]
        writer.write(bits, tile=(16, 16), photometric="minisblack", metadata=None)
    return file.getvalue()
