"""Stored times: text order is time order."""

from datetime import UTC, datetime, timedelta, timezone

from vitrine.store.clock import now, rfc3339


def test_times_are_utc_with_milliseconds() -> None:
    moment = datetime(2026, 11, 21, 8, 0, 0, 5000, tzinfo=timezone(timedelta(hours=1)))
    assert rfc3339(moment) == "2026-11-21T07:00:00.005Z"


def test_text_order_is_time_order() -> None:
    early = datetime(2026, 11, 21, 9, 59, 59, 999_000, tzinfo=UTC)
    assert rfc3339(early) < rfc3339(early + timedelta(milliseconds=1)) < now()[:2] + "99"
