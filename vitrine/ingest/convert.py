"""From a master on local disk to an access master on local disk."""

import errno
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyvips

from vitrine.ingest.access_master import Structure, read_structure, write_access_master
from vitrine.ingest.colour import to_srgb
from vitrine.ingest.header import Header, reason_of
from vitrine.ingest.recipe import Recipe
from vitrine.ingest.rejections import damaged_file
from vitrine.ingest.samples import take_samples
from vitrine.ingest.vips import load, prepare_libvips

Writer = Callable[[Any, Path, Recipe], None]
"""Writes an 8-bit sRGB image as an access master."""

_FULL_BYTES = 16 * 1024 * 1024
"""With less than this left, a failed write is the disk's fault and not the master's."""
_SCRATCH_BYTES_PER_PIXEL = 5
"""Decoded pixels (3) and the access master (at most 2 at quality 90, pyramid included)."""


@dataclass(frozen=True, kw_only=True)
class Converted:
    """An access master on local disk, and what the conversion saw of the master."""

    path: Path
    structure: Structure
    samples: list[list[int]]


def convert(
    master: Path,
    header: Header,
    recipe: Recipe,
    scratch: Path,
    write: Writer = write_access_master,
) -> Converted:
    """Convert `master`; everything written lies in the empty directory `scratch`.

    The decoded image is spooled to disk: orientation needs random access, which a sequential
    decoder cannot give, and a damaged master is told apart from a failing writer.
    Raises MasterRejected with code damaged-file, OSError where the disk is too small.
    """
    prepare_libvips()
    _check_disk(scratch, header)
    spool = scratch / "decoded.v"
    _decode(master, header, recipe, spool)
    image = pyvips.Image.new_from_file(str(spool), access="random").autorot()
    path = scratch / "access.tif"
    write(image, path, recipe)
    structure = read_structure(lambda: pyvips.Source.new_from_file(str(path)))
    return Converted(path=path, structure=structure, samples=take_samples(image))


def _decode(master: Path, header: Header, recipe: Recipe, spool: Path) -> None:
    try:
        source = pyvips.Source.new_from_file(str(master))
        image = load(source, header.format, page=header.page)
        to_srgb(image, header, recipe.background).write_to_file(str(spool))
    except pyvips.Error as error:
        if _free_bytes(spool.parent) < _FULL_BYTES:
            raise OSError(errno.ENOSPC, "the scratch disk filled up", str(spool)) from error
        raise damaged_file(reason_of(error)) from error


def _check_disk(scratch: Path, header: Header) -> None:
    needed = header.width * header.height * _SCRATCH_BYTES_PER_PIXEL
    free = _free_bytes(scratch)
    if free < needed:
        text = f"{needed:,} bytes are needed for the conversion, {free:,} are free"
        raise OSError(errno.ENOSPC, text, str(scratch))


def _free_bytes(directory: Path) -> int:
    return shutil.disk_usage(directory).free
