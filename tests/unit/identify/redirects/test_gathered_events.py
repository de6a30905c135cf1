"""The events of a large import are sent ten at a time, and none is lost."""

from typing import Any

import pytest

from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.messaging import MemoryEventBus
from vitrine.errors import TransientError
from vitrine.identify.redirects.bulk import GatheredEvents


def test_events_that_cannot_be_sent_wait_for_the_next_try() -> None:
    bus = MemoryEventBus()
    broken: Any = Breaking(bus, times=1)
    with GatheredEvents(broken) as gathered:
        for number in range(9):
            gathered.publish("ImageChanged", {"number": number, "revision": 1})
        with pytest.raises(TransientError):
            gathered.publish("ImageChanged", {"number": 9, "revision": 1})
        gathered.publish("ImageChanged", {"number": 10, "revision": 1})
        assert len(bus.events) == 11
        gathered.publish("ImageChanged", {"number": 11, "revision": 1})
        assert len(bus.events) == 11
    assert len(bus.events) == 12


def test_events_of_later_changes_do_not_wait() -> None:
    bus = MemoryEventBus()
    with GatheredEvents(bus) as gathered:
        gathered.publish("ImageChanged", {"number": 1, "revision": 1})
        gathered.publish("ImageChanged", {"number": 2, "revision": 2})
        assert [detail["number"] for _, detail in bus.events] == [2]
