"""A master stays on a converter that has room and time for it."""

from dataclasses import replace

import pytest

from vitrine.errors import MasterRejected
from vitrine.ingest.inspect.estimate import (
    Estimate,
    check_estimate,
    estimate,
    fits_converter,
)
from vitrine.ingest.inspect.formats.jpeg_scans import longest_seconds
from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.limits import MasterLimits

LIMITS = MasterLimits(
    pixels=1,
    bytes=1,
    memory_bytes=30_000,
    disk_bytes=50_000,
    converter_memory_bytes=8_000,
    converter_disk_bytes=10_000,
    converter_seconds=800,
    giants_at_once=2,
)
WITHOUT_TASKS = replace(LIMITS, giants_at_once=0, memory_bytes=8_000, disk_bytes=10_000)


@pytest.mark.parametrize(
    ("memory", "disk", "fits"),
    [(1, 1, True), (8_000, 10_000, True), (8_001, 1, False), (1, 10_001, False)],
)
def test_a_master_stays_on_a_converter_with_room_for_memory_and_disk(
    memory: int, disk: int, fits: bool
) -> None:
    assert fits_converter(Estimate(memory_bytes=memory, disk_bytes=disk), LIMITS) is fits


def test_what_takes_a_lambda_too_long_is_passed_on_where_there_are_tasks() -> None:
    slow = Estimate(memory_bytes=1, disk_bytes=1, seconds=801)
    assert not fits_converter(slow, LIMITS)
    assert fits_converter(replace(slow, seconds=800), LIMITS)
    assert fits_converter(slow, WITHOUT_TASKS)


@pytest.mark.parametrize(
    ("memory", "disk", "limits"),
    [
        (8_001, 1, WITHOUT_TASKS),
        (1, 10_001, WITHOUT_TASKS),
        (30_001, 1, LIMITS),
        (1, 50_001, LIMITS),
    ],
)
def test_what_nothing_can_hold_is_refused_from_its_header(
    memory: int, disk: int, limits: MasterLimits
) -> None:
    with pytest.raises(MasterRejected) as raised:
        check_estimate(Estimate(memory_bytes=memory, disk_bytes=disk), limits)
    assert raised.value.rejection.code.startswith("needs-too-much-")


def test_the_scans_of_a_progressive_jpeg_take_time() -> None:
    """200 scans of 64 megapixels, the most that is accepted: 0.146 s of CPU each were measured."""
    plain = PictureFormat(width=8_000, height=8_000, colour="rgb", bits=8, compression="JPEG")
    progressive = replace(plain, decoder_seconds=longest_seconds(64_000_000))
    more = estimate(progressive, 1_000).seconds - estimate(plain, 1_000).seconds
    assert 200 * 0.146 <= more <= 60


def test_ten_gigapixels_take_longer_than_a_lambda_may() -> None:
    picture = PictureFormat(width=125_000, height=80_000, colour="rgb", bits=8, compression="none")
    needs = estimate(picture, 30_000_000_000)
    assert 800 < needs.seconds < 6 * 3_600
    assert needs.disk_bytes == 40_000_000_000
