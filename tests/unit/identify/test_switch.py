"""A new version takes the place of the one before it at one moment, which its record carries."""

from dataclasses import replace

from tests.unit.deliver.deliver_records import live
from vitrine.identify.switch import list_switches, replace_later
from vitrine.records import Live, record_as_json, record_from_json

FIRST = live(version="1" * 16, published_at="2026-11-22T10:00:00.000Z")


def version(number: int, at: str) -> Live:
    return live(version=str(number) * 16, published_at=f"2026-11-22T{at}Z")


def times(image: Live) -> list[tuple[str, str]]:
    """The version shown until each switch, and when that is."""
    switches = list_switches(image)
    return [(shown.version[0], moment.strftime("%H:%M:%S")) for moment, shown in switches]


def test_a_version_holds_from_a_moment_that_its_record_carries() -> None:
    second = replace_later(FIRST, version(2, "11:00:00.000"), 90)
    assert second.holds_from == "2026-11-22T11:01:30.000Z"
    assert second.before == FIRST
    assert times(second) == [("1", "11:01:30")]
    assert record_from_json(record_as_json(second)) == second


def test_without_a_delay_a_version_holds_at_once() -> None:
    image = version(2, "11:00:00.000")
    assert replace_later(FIRST, image, 0) is image
    assert times(image) == []


def test_a_version_that_is_replaced_before_its_moment_keeps_it() -> None:
    """Who has not heard of the third switches to the second at the same moment as all others."""
    second = replace_later(FIRST, version(2, "11:00:00.000"), 90)
    third = replace_later(second, version(3, "11:00:40.000"), 90)
    assert times(third) == [("1", "11:01:30"), ("2", "11:02:10")]


def test_what_is_shown_no_more_is_left_out() -> None:
    second = replace_later(FIRST, version(2, "11:00:00.000"), 90)
    third = replace_later(second, version(3, "11:30:00.000"), 90)
    assert times(third) == [("2", "11:31:30")]
    assert third.before == replace(second, holds_from="", before=None)


def test_a_record_without_a_switch_is_stored_as_before() -> None:
    assert not {"before", "holds_from"} & set(record_as_json(FIRST))
