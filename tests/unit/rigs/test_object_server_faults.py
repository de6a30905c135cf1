"""The object server's faults come when they were ordered, and its ledger counts every byte."""

import pytest

from rigs.object_server.read_ledger import Read, Summary, summarise_reads
from rigs.object_server.response_faults import Fault, FaultSchedule, ResponseFault


def happening(*faults: Fault, keys: str) -> list[str]:
    schedule = FaultSchedule()
    schedule.replace(faults)
    met = (schedule.next(key) for key in keys)
    return [fault.kind.value if fault else "" for fault in met]


def test_a_fault_fires_after_those_it_skips_and_as_often_as_ordered() -> None:
    fault = Fault(kind=ResponseFault.RESET, skip=1, every=2, times=2)
    assert happening(fault, keys="a" * 7) == ["", "reset", "", "reset", "", "", ""]


def test_a_fault_without_number_fires_for_ever() -> None:
    assert happening(Fault(kind=ResponseFault.SHORT), keys="aaa") == ["short"] * 3


def test_a_fault_meets_only_its_keys_and_the_first_that_meets_wins() -> None:
    first, second = (
        Fault(kind=ResponseFault.RESET, key="b", times=1),
        Fault(kind=ResponseFault.STALL),
    )
    assert happening(first, second, keys="abb") == ["stall", "reset", "stall"]


def test_a_fault_may_meet_each_place_a_number_of_times() -> None:
    schedule = FaultSchedule()
    schedule.replace([Fault(kind=ResponseFault.RESET, each=2)])
    met = [schedule.next("a", start) is not None for start in (0, 5, 0, 5, 0, 5, 9)]
    assert met == [True, True, True, True, False, False, True]


def test_new_faults_replace_the_old() -> None:
    schedule = FaultSchedule()
    schedule.replace([Fault(kind=ResponseFault.RESET)])
    schedule.replace([])
    assert schedule.next("a") is None


def test_a_fault_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="hiccup"):
        Fault.from_document({"kind": "hiccup"})
    with pytest.raises(ValueError, match="often"):
        Fault.from_document({"kind": "reset", "often": 3})


def read(start: int, sent: int, key: str = "a", etag: str = "1") -> Read:
    return Read(method="GET", key=key, status=206, etag=etag, start=start, length=sent, sent=sent)


def test_bytes_sent_twice_are_repeated_however_the_ranges_overlap() -> None:
    reads = [read(100, 50), read(0, 120), read(40, 10), read(150, 10)]
    assert summarise_reads(reads) == Summary(reads=4, bytes=190, repeated=30)


def test_another_object_or_another_version_is_no_repetition() -> None:
    reads = [read(0, 10), read(0, 10, key="b"), read(0, 10, etag="2")]
    assert summarise_reads(reads) == Summary(reads=3, bytes=30, repeated=0)
