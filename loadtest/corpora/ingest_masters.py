"""The masters of the ingest benchmark: photographs at their own size, and some enlarged."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyvips

from loadtest.corpora.made_masters import MadeMaster
from loadtest.corpora.photographs import DRAGONFLY, ELEPHANTS, KLEIBER, SEEDING, SUNSET
from vitrine.local.debian_files import DebianFile, fetch

FIFTY_MEGAPIXELS = 50e6

Options = dict[str, Any]
UNCOMPRESSED: Options = {}
LZW: Options = {"compression": "lzw", "predictor": "horizontal"}
DEFLATE: Options = {"compression": "deflate", "predictor": "horizontal"}


@dataclass(frozen=True, kw_only=True, eq=False)
class MasterSpec:
    """A master to make. `pixels` None: the photograph's own; else about so many, enlarged."""

    name: str
    photograph: DebianFile
    pixels: float | None = None
    options: Options | None = None
    """Options of libvips' tiffsave; None: a JPEG, the photograph's own file unless enlarged."""


FIFTY = (
    MasterSpec(name="50-jpeg.jpg", photograph=ELEPHANTS, pixels=FIFTY_MEGAPIXELS),
    MasterSpec(name="50-lzw.tif", photograph=ELEPHANTS, pixels=FIFTY_MEGAPIXELS, options=LZW),
    MasterSpec(
        name="50-plain.tif", photograph=ELEPHANTS, pixels=FIFTY_MEGAPIXELS, options=UNCOMPRESSED
    ),
)
"""Masters on which the overhead is measured, one at a time."""

COLLECTION = (
    MasterSpec(name="sunset.jpg", photograph=SUNSET),
    MasterSpec(name="dragonfly.jpg", photograph=DRAGONFLY),
    MasterSpec(name="seeding.jpg", photograph=SEEDING),
    MasterSpec(name="elephants.jpg", photograph=ELEPHANTS),
    MasterSpec(name="kleiber.jpg", photograph=KLEIBER),
    MasterSpec(name="sunset-plain.tif", photograph=SUNSET, options=UNCOMPRESSED),
    MasterSpec(name="seeding-lzw.tif", photograph=SEEDING, options=LZW),
    MasterSpec(name="kleiber-deflate.tif", photograph=KLEIBER, options=DEFLATE),
    MasterSpec(name="elephants-30.tif", photograph=ELEPHANTS, pixels=30e6, options=LZW),
    *FIFTY,
)
"""Masters of one round of the throughput: 12 to 50 megapixels, JPEG and TIFF."""


def make(spec: MasterSpec, folder: Path) -> MadeMaster:
    """Return the master as a file of `folder`, made if missing. Raises RuntimeError (`fetch`)."""
    source = fetch(spec.photograph)
    width, height = spec.photograph.width, spec.photograph.height
    scale = 1.0 if spec.pixels is None else (spec.pixels / (width * height)) ** 0.5
    path = folder / spec.name
    if spec.options is None and scale == 1:
        path = source
    elif not path.exists():
        _write(source, scale, spec, path)
    image = pyvips.Image.new_from_file(str(path))
    return MadeMaster(
        path=path,
        photograph=spec.photograph,
        width=image.width,
        height=image.height,
        enlargement=round(scale, 3),
    )


def _write(source: Path, scale: float, spec: MasterSpec, path: Path) -> None:
    image = pyvips.Image.new_from_file(str(source))
    if scale != 1:
        image = image.resize(scale, kernel="lanczos3")
    part = path.with_suffix(".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    if spec.options is None:
        part.write_bytes(image.jpegsave_buffer(Q=95))
    else:
        image.tiffsave(str(part), **spec.options)
    part.rename(path)


def described(spec: MasterSpec, master: MadeMaster) -> dict[str, Any]:
    """Return a row of the report."""
    return {
        "name": spec.name,
        "from": master.provenance(),
        "megapixels": round(master.width * master.height / 1e6, 1),
        "bytes": master.path.stat().st_size,
        "compression": "JPEG" if spec.options is None else spec.options.get("compression", "none"),
    }
