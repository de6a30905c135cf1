"""Reopen an access master and compare it with what the conversion recorded."""

import pyvips

from vitrine.ingest.access_master import Structure, read_structure
from vitrine.ingest.header import OpenSource, reason_of
from vitrine.ingest.messages import MasterConverted
from vitrine.ingest.rejections import wrong_result
from vitrine.ingest.samples import TOLERANCE, largest_difference
from vitrine.ingest.vips import load


def verify(open_source: OpenSource, converted: MasterConverted) -> None:
    """Check levels, tiles and sampled colours; reads headers and a few tiles only.

    Raises MasterRejected with code conversion-differs.
    """
    try:
        _check_structure(read_structure(open_source), converted)
        image = load(open_source(), "tiff", random=True)
        difference, sample = largest_difference(image, converted.samples)
    except pyvips.Error as error:
        raise wrong_result("file", reason_of(error)) from error
    if difference > TOLERANCE:
        raise wrong_result("colours", f"{difference} of 255 at {sample[0]}, {sample[1]}")


def _check_structure(structure: Structure, converted: MasterConverted) -> None:
    levels = [list(level) for level in structure.levels]
    if levels != converted.levels:
        raise wrong_result("levels", f"{levels} instead of {converted.levels}")
    if levels[0] != [converted.width, converted.height]:
        raise wrong_result("size", f"{levels[0]}")
    if structure.bands != 3:
        raise wrong_result("colour bands", f"{structure.bands}")
    if (structure.tile_width, structure.tile_height) != (
        converted.tile_width,
        converted.tile_height,
    ):
        raise wrong_result("tiles", f"{structure.tile_width} x {structure.tile_height}")
    _check_pyramid(structure)


def _check_pyramid(structure: Structure) -> None:
    for (width, height), (next_width, next_height) in zip(
        structure.levels, structure.levels[1:], strict=False
    ):
        # Half, rounded down or up: writers differ.
        if not (0 <= width - 2 * next_width + 1 <= 2 and 0 <= height - 2 * next_height + 1 <= 2):
            raise wrong_result("pyramid", f"{next_width} x {next_height}")
    width, height = structure.levels[-1]
    if width > structure.tile_width or height > structure.tile_height:
        raise wrong_result("smallest level", f"{width} x {height}")
