"""Reopen an access master by ranged reads and compare it with what the conversion recorded."""

from vitrine.ingest.convert.access_master import PyramidStructure, structure_of
from vitrine.ingest.convert.mean_colours import MeanColourReader
from vitrine.ingest.convert.sample_squares import LEVELS, SIDE, TOLERANCE
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.ingest.messages import MasterConverted
from vitrine.ingest.rejections import wrong_result
from vitrine.store.ranged import whole_ranges
from vitrine.store.tiff.checksums import read_checksums
from vitrine.store.tiff.entry import MalformedTiff
from vitrine.store.tiff.pyramid import PyramidLevel, read_levels
from vitrine.store.tiff.reading import TiffReader
from vitrine.store.tiff.tags import Tag


def verify(file: MasterBytes, converted: MasterConverted) -> None:
    """Check levels, tiles, metadata, sampled colours and the head's checksum.

    Reads the head and a few tiles only.

    Raises MasterRejected with code conversion-differs, and what `file` raises.
    """
    read = whole_ranges(file)
    try:
        reader = TiffReader(read, file.size)
        levels = read_levels(reader)
        _check_structure(structure_of(reader, levels), converted)
        for level in levels:
            _check_tiles(level, file.size)
        read_checksums(
            read, file.size, big=reader.big, tiles=sum(len(level.tiles) for level in levels)
        )
        if any(tag not in levels[0].page for tag in (Tag.ICC_PROFILE, Tag.X_RESOLUTION)):
            raise wrong_result("metadata", "no colour profile or no resolution")
        # A square cut by the image's border has another mean where edges were repeated.
        whole = min(converted.width, converted.height) >= SIDE
        for number, level in enumerate(levels[: LEVELS if whole else 1]):
            _check_colours(MeanColourReader(read, level), number, converted.samples)
    except MalformedTiff as error:
        raise wrong_result("file", str(error)) from error


def _check_structure(structure: PyramidStructure, converted: MasterConverted) -> None:
    levels = [list(level) for level in structure.levels]
    if levels != converted.levels:
        raise wrong_result("levels", f"{levels} instead of {converted.levels}")
    if levels[0] != [converted.width, converted.height]:
        raise wrong_result("size", f"{levels[0]}")
    if structure.bands != 3:
        raise wrong_result("colour bands", f"{structure.bands}")
    tile = (structure.tile_width, structure.tile_height)
    if tile != (converted.tile_width, converted.tile_height):
        raise wrong_result("tiles", f"{tile[0]} x {tile[1]}")
    width, height = levels[-1]
    if width > tile[0] or height > tile[1]:
        raise wrong_result("smallest level", f"{width} x {height}")
    if converted.metadata_digest not in ("", structure.metadata_digest):
        raise wrong_result("metadata", structure.metadata_digest)


def _check_tiles(level: PyramidLevel, size: int) -> None:
    for number, (offset, length) in enumerate(level.tiles):
        if not length or offset + length > size:
            problem = f"tile {number} of {level.width} x {level.height}: {length} bytes at {offset}"
            raise wrong_result("tiles", problem)


def _check_colours(reader: MeanColourReader, level: int, samples: list[list[int]]) -> None:
    scale = 2**level
    for x, y, *colours in samples:
        # An earlier release sampled one colour for all levels.
        colour = colours[3 * level : 3 * level + 3] or colours[:3]
        mean = reader.mean_colour(x // scale, y // scale, SIDE // scale)
        difference = max(abs(a - b) for a, b in zip(mean, colour, strict=True))
        if difference > TOLERANCE:
            raise wrong_result("colours", f"{difference:.1f} of 255 at {x}, {y} of level {level}")
