"""Damaged tiles are found before iipsrv, which would show them as gray, reads them."""

from pathlib import Path

import pytest

from tests.unit.deliver.pyramids.open_rig import HEIGHT, WIDTH
from tests.unit.deliver.render.render_rig import WholeFile, pyramid_of
from tests.unit.ingest.made_pyramids import picture, write_file
from vitrine.iiif.region import Box

WHOLE = Box(0, 0, WIDTH, HEIGHT)


class CountingFile(WholeFile):
    """Counts how often bytes are looked at."""

    peeks = 0

    def peek(self, offset: int, length: int) -> bytes | None:
        self.peeks += 1
        return super().peek(offset, length)


def stored(folder: Path) -> bytes:
    write_file(picture(WIDTH, HEIGHT), folder / "stored.tif")
    return (folder / "stored.tif").read_bytes()


@pytest.mark.parametrize("end", ["first", "last", "both"])
def test_a_damaged_tile_is_found_and_no_other(tmp_path: Path, end: str) -> None:
    data = stored(tmp_path)
    whole = pyramid_of(WholeFile(data, tmp_path / "whole.tif"))
    tiles = whole.levels[0].tile_ranges(WHOLE)
    assert len(tiles) == 9
    for offset, length in tiles:
        damaged = bytearray(data)
        if end != "last":
            damaged[offset : offset + 2] = bytes(2)
        if end != "first":
            damaged[offset + length - 2 : offset + length] = bytes(2)
        file = WholeFile(bytes(damaged), tmp_path / "damaged.tif")
        assert pyramid_of(file).forget_damaged(0, WHOLE)
        assert file.forgotten == [(offset, length)]


def test_all_tiles_of_a_damaged_row_are_found(tmp_path: Path) -> None:
    data = stored(tmp_path)
    tiles = pyramid_of(WholeFile(data, tmp_path / "whole.tif")).levels[0].tile_ranges(WHOLE)
    (start, _), (last, length) = tiles[3], tiles[5]
    damaged = data[:start] + bytes(last + length - start) + data[last + length :]
    file = WholeFile(damaged, tmp_path / "damaged.tif")
    assert pyramid_of(file).forget_damaged(0, WHOLE)
    assert sorted(file.forgotten) == sorted(tiles[3:6])


def test_neighbours_are_looked_at_together(tmp_path: Path) -> None:
    file = CountingFile(stored(tmp_path), tmp_path / "counted.tif")
    pyramid = pyramid_of(file)
    assert not pyramid.forget_damaged(0, WHOLE)
    assert file.peeks <= 9 + 3
