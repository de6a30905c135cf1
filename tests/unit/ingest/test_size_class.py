"""Each master takes the least Lambda that has room for it."""

import pytest

from vitrine.errors import MasterRejected
from vitrine.ingest.estimate import Estimate, check_estimate
from vitrine.ingest.limits import Limits
from vitrine.ingest.messages import HeaderRead
from vitrine.ingest.size_class import SizeClass, size_class

LIMITS = Limits(
    pixels=1,
    bytes=1,
    memory_bytes=8_000,
    disk_bytes=10_000,
    small_memory_bytes=1_500,
    small_disk_bytes=900,
)


@pytest.mark.parametrize(
    ("memory", "disk", "expected"),
    [
        (1, 1, SizeClass.SMALL),
        (1_500, 900, SizeClass.SMALL),
        (1_501, 900, SizeClass.LARGE),
        (1_500, 901, SizeClass.LARGE),
        (8_000, 10_000, SizeClass.LARGE),
    ],
)
def test_a_master_takes_the_least_lambda_with_room_for_memory_and_disk(
    memory: int, disk: int, expected: SizeClass
) -> None:
    assert size_class(Estimate(memory_bytes=memory, disk_bytes=disk), LIMITS) is expected


@pytest.mark.parametrize(("memory", "disk"), [(8_001, 1), (1, 10_001)])
def test_a_giant_is_refused_from_its_header(memory: int, disk: int) -> None:
    with pytest.raises(MasterRejected) as raised:
        check_estimate(Estimate(memory_bytes=memory, disk_bytes=disk), LIMITS)
    assert raised.value.rejection.code.startswith("needs-too-much-")


def test_a_header_read_before_there_were_classes_goes_to_the_large_lambda() -> None:
    old = dict.fromkeys(
        ("master_key", "master_version", "master_etag", "master_modified", "identifier"), "x"
    )
    numbers = dict.fromkeys(("master_bytes", "width", "height"), 1)
    header = HeaderRead.from_json(old | numbers | {"format": "tiff"})
    assert header.size_class == SizeClass.LARGE
