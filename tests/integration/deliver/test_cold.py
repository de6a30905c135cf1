"""What a first request reads from S3: kilobytes of a gigabyte, each of them once.

The real gateway and S3 adapter over HTTP to a store that counts; `vitrine-loadtest study
cold-reads` does the same with photographs.
"""

from typing import Any

import pytest

from loadtest.studies.cold_reads.cold_images import record_of
from loadtest.studies.cold_reads.cold_reads_report import broken, table
from loadtest.studies.cold_reads.cold_reads_study import measure_images
from tests.integration.deliver.cold_images import write_like_libvips, write_like_ours
from tests.integration.deliver.patient_reads import read_patiently

TILES = 30


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    directory = tmp_path_factory.mktemp("cold")
    write_like_ours(directory / "ours.tif", 24_000, 16_667)
    write_like_libvips(directory / "libvips.tif", 12_000, 8_334)
    images = [record_of(directory / f"{name}.tif", name) for name in ("ours", "libvips")]
    with pytest.MonkeyPatch.context() as patch:
        read_patiently(patch.setattr)
        return measure_images(directory, images, TILES, lambda line: None)


def test_first_requests_read_no_more_than_promised(figures: dict[str, Any]) -> None:
    assert broken(figures) == [], table(figures)


def test_fifty_clients_on_one_cold_image_read_nothing_twice(figures: dict[str, Any]) -> None:
    for image in figures["images"].values():
        for name, row in image["at_once"].items():
            assert (row["requests_at_once"], row["repeated_bytes"]) == (50, 0), name
