"""How many photographs there were when is what was measured."""

import pytest

from loadtest.studies.photo_door.client_use import UseSample
from loadtest.studies.photo_door.door_agents import SentPhotograph
from loadtest.studies.photo_door.photo_door_report import CAPTIONS
from loadtest.studies.photo_door.photo_series import WINDOWS, window_series


def sent(begun: float, ended: float, fault: str = "") -> SentPhotograph:
    return SentPhotograph(
        agent=0,
        sample="a.jpg",
        bytes_in=10_000_000,
        begun=begun,
        ended=ended,
        fault=fault,
    )


def test_series_count_photographs_in_the_windows_they_belong_to() -> None:
    looks = [
        UseSample(time=100.6, cpu_cores=0.5, resident_mebibytes=90, machine_memory=0.25, agents=2)
    ]
    rows = window_series([sent(100.0, 104.5), sent(101.5, 104.9, "422")], looks, 100.0, 105.0)
    assert [row["second"] for row in rows] == [0, 1, 2, 3, 4]
    assert all({"second", *CAPTIONS} <= set(row) for row in rows)
    assert [row["request_rate"] for row in rows] == [1, 1, 0, 0, 0]
    assert [row["megabytes"] for row in rows] == [0, 0, 0, 0, 10]
    assert [row["round_trip_seconds"] for row in rows] == [4.5, None, None, None, None]
    assert (rows[0]["agents"], rows[0]["client_memory"]) == (2, 25)


@pytest.mark.parametrize("seconds", [88.17393207550049, 60.0, 31.7, 29.5, 0.4])
def test_series_end_with_the_run_and_lose_nothing(seconds: float) -> None:
    rows = window_series([sent(100.0, 100.0 + seconds)], [], 100.0, 100.0 + seconds)
    assert len(rows) <= WINDOWS
    starts = [row["second"] for row in rows]
    lengths = [b - a for a, b in zip(starts, [*starts[1:], seconds], strict=True)]
    assert min(lengths) > 0.3
    megabytes = sum(row["megabytes"] * long for row, long in zip(rows, lengths, strict=True))
    assert megabytes == pytest.approx(10, rel=0.02)
