"""Was a damaged master converted correctly? Another decoder of the same bytes is the witness."""

import io
from itertools import islice
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pyvips
import tifffile
from PIL import Image

from vitrine.ingest.convert.colour import to_srgb
from vitrine.ingest.inspect.decode import reason_of
from vitrine.ingest.inspect.header import open_master, read_header
from vitrine.ingest.inspect.limits import MasterLimits
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.rejections import damaged_file

LIMITS = MasterLimits(pixels=4_000_000, bytes=64 * 1024 * 1024)
WHITE = (255, 255, 255)
_COLOURS = {0: 1, 1: 1, 3: 1, 5: 4}
"""Samples that are colour, by photometric interpretation; 3 else."""
_MAX_PAGES = 20
_MEAN_DIFFERENCE = 1.5
"""Tolerance, of 255: decoders round their colours differently."""


def convert_pixels(path: Path) -> Any:
    """Return the upright sRGB pixels that an access master is made of. Raises MasterRejected."""
    with LocalFile(path) as file:
        header = read_header(file, detect_format(file.read_at(0, PREFIX_BYTES)), LIMITS)
    try:
        with open_master(path, header) as opened:
            memory = to_srgb(opened.image, header, WHITE).copy_memory()
    except pyvips.Error as error:
        raise damaged_file(reason_of(error)) from error
    return memory.autorot().numpy()


def same(one: Any, other: Any) -> bool:
    """Equal within what decoders differ in."""
    if one.shape != other.shape:
        return False
    return float(np.abs(one.astype("i2") - other.astype("i2")).mean()) <= _MEAN_DIFFERENCE


def witness(path: Path, scratch: Path) -> Any:
    """Decode the same bytes with tifffile or Pillow, then convert the colours as we do.

    Raises whatever the other decoder raises.
    """
    body = path.read_bytes()
    if body[:2] in (b"II", b"MM"):
        _rewrite_tiff(body, scratch)
    else:
        _rewrite_other(body, scratch)
    return convert_pixels(scratch)


def _rewrite_tiff(body: bytes, path: Path) -> None:
    with tifffile.TiffFile(io.BytesIO(body)) as file:
        # Its chain of pages may have no end.
        pages: list[Any] = list(islice(file.pages, _MAX_PAGES))
        page = max(pages, key=lambda page: page.imagewidth * page.imagelength)
        _refuse_gaps(page, len(body))
        options: dict[str, Any] = {"photometric": page.photometric}
        turned = page.tags[274].value if 274 in page.tags else 1
        options["extratags"] = [_orientation(turned)]
        if page.photometric == tifffile.PHOTOMETRIC.YCBCR:
            options["photometric"] = tifffile.PHOTOMETRIC.RGB
        if 34675 in page.tags:
            options["iccprofile"] = page.tags[34675].value
        if page.photometric == tifffile.PHOTOMETRIC.PALETTE:
            options["colormap"] = page.colormap
        if page.bitspersample in (2, 4):
            options["bitspersample"] = page.bitspersample
        extra = page.samplesperpixel - _COLOURS.get(int(page.photometric), 3)
        if extra > 0:
            options["extrasamples"] = [*page.extrasamples, *[0] * extra][:extra]
        pixels = page.asarray()
        if page.samplesperpixel > 1:
            apart = int(page.planarconfig or 1) == 2
            options["planarconfig"] = "separate" if apart else "contig"
        tifffile.imwrite(path, pixels, **options)


def _refuse_gaps(page: Any, size: int) -> None:
    """tifffile fills up what is missing; then it is no witness."""
    parts = zip(page.dataoffsets, page.databytecounts, strict=True)
    if any(offset + count > size or not offset or not count for offset, count in parts):
        raise ValueError("a part of the picture is missing")


def _rewrite_other(body: bytes, path: Path) -> None:
    with Image.open(io.BytesIO(body)) as image:
        profile, turned = image.info.get("icc_profile"), image.getexif().get(274, 1)
        pixels = _samples(image, body)
    names = {1: "minisblack", 2: "minisblack", 3: "rgb", 4: "rgb"}
    bands = pixels.shape[2] if pixels.ndim == 3 else 1
    options: dict[str, Any] = {"photometric": names[bands]}
    if image.mode == "CMYK":
        options["photometric"] = "separated"
    elif bands in (2, 4):
        options |= {"extrasamples": ["unassalpha"], "planarconfig": "contig"}
    options["extratags"] = [_orientation(turned)]
    tifffile.imwrite(path, pixels, iccprofile=profile, **options)


def _orientation(value: int) -> tuple[int, str, int, int, bool]:
    return 274, "H", 1, value if value in range(1, 9) else 1, True


def _samples(image: Image.Image, body: bytes) -> Any:
    if image.format == "PNG" and body[24] == 16:
        return imagecodecs.png_decode(body)
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    if image.mode == "1":
        image = image.convert("L")
    return np.asarray(image)


def prepare() -> None:
    """Once per process."""
    pyvips.cache_set_max(0)
    Image.MAX_IMAGE_PIXELS = LIMITS.pixels
