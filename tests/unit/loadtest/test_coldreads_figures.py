"""The requests of `bench cold-reads` are those of a viewer, and a broken promise is named."""

from typing import Any

from loadtest.studies.cold_reads.cold_addresses import address, random_tiles, tile
from loadtest.studies.cold_reads.cold_reads_report import broken, table
from vitrine.iiif.address import parse_address
from vitrine.records import Live

MOMENT = "2026-01-01T00:00:00Z"
IMAGE = Live(
    identifier="ours",
    version="1",
    access_master_key="ours.tif",
    access_master_bytes=1,
    width=1001,
    height=700,
    tile_width=256,
    tile_height=256,
    levels=((1001, 700), (500, 350), (250, 175)),
    master_key="ours.tif",
    master_version="1",
    master_modified=MOMENT,
    published_at=MOMENT,
)


def row(reads: int, size: int, repeated: int = 0) -> dict[str, Any]:
    return {
        "visits": 1,
        "requests_at_once": 1,
        "reads": reads,
        "bytes": size,
        "repeated_bytes": repeated,
        "median_ms": 1.0,
        "worst_ms": 1.0,
    }


def figures(first_tile: dict[str, Any], at_once: dict[str, Any]) -> dict[str, Any]:
    image = {
        "width": 1001,
        "height": 700,
        "info_json": row(0, 0),
        "first_tile": first_tile,
        "first_thumbnail": row(2, 512 << 10),
        "at_once": {"the_same_tile": at_once},
    }
    return {"images": {"vitrine": image}}


def test_a_tile_is_asked_for_in_sizes_rounded_up() -> None:
    assert tile(IMAGE, 0, 3, 2) == "768,512,233,188/233,188/0/default.jpg"
    assert tile(IMAGE, 1, 1, 0) == "512,0,489,512/245,256/0/default.jpg"
    assert address(IMAGE, "info.json") == "/iiif/3/ours/info.json"


def test_only_stored_tiles_are_drawn_and_the_same_ones_each_time() -> None:
    drawn = random_tiles(IMAGE, 200, seed=1)
    assert drawn == random_tiles(IMAGE, 200, seed=1)
    assert tile(IMAGE, 0, 3, 2) in drawn
    # 500 pixels are stored at half size, where a viewer counts 501.
    assert tile(IMAGE, 1, 1, 0) not in drawn
    assert all(parse_address(address(IMAGE, item)) for item in drawn)


def test_figures_within_the_promises_break_none() -> None:
    assert broken(figures(row(2, 512 << 10), row(3, 1))) == []


def test_a_broken_promise_is_named() -> None:
    assert broken(figures(row(3, 1), row(3, 1))) == ["vitrine: first_tile read 1 bytes in 3"]
    assert broken(figures(row(1, 600 << 10), row(3, 1)))
    assert broken(figures(row(1, 1), row(3, 1, repeated=4))) == [
        "vitrine: 1 at once: the_same_tile read 4 bytes twice"
    ]


def test_the_table_has_a_line_per_image_and_kind() -> None:
    lines = table(figures(row(2, 512 << 10), row(3, 1))).splitlines()
    assert lines[3] == (
        "| vitrine, 1 MP | first tile | 1 | 2 | 512 | 0 | 1.0 | ≤ 2 reads, ≤ 512 KiB |"
    )
    assert len(lines) == 2 + 4
