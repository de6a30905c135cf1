"""An image whose rule changed lately may be one whose event was never sent."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.deliver.deliver_records import GONE, live
from vitrine.identify.rule_changes import (
    REDELIVERED_WITHIN,
    REPEATED_WITHIN,
    may_be_unannounced,
    note_rule_change,
)
from vitrine.store.clock import rfc3339


def ago(**since: int) -> str:
    return rfc3339(datetime.now(UTC) - timedelta(**since))


def test_the_moment_stays_until_the_rule_is_another_one() -> None:
    first = note_rule_change(live(access="closed"), None)
    assert first.ruled_at > ago(minutes=1)
    kept = note_rule_change(live(access="closed", version="2"), live(access="closed", ruled_at="1"))
    assert kept.ruled_at == "1"
    assert note_rule_change(live(access="staff"), first).ruled_at >= first.ruled_at
    assert note_rule_change(live(), None).ruled_at == ""


@pytest.mark.parametrize(
    ("published", "ruled", "is_so"),
    [
        ({"days": 9}, {"minutes": 5}, True),
        ({"days": 9}, {"hours": 1}, False),
        # It was published under this rule, and announced with it.
        ({"minutes": 4}, {"minutes": 5}, False),
    ],
)
def test_only_what_was_public_when_its_rule_changed_lately_is_meant(
    published: dict[str, int], ruled: dict[str, int], is_so: bool
) -> None:
    image = live(access="closed", published_at=ago(**published), ruled_at=ago(**ruled))
    assert may_be_unannounced(image) is is_so


def test_what_has_no_image_is_not_meant() -> None:
    assert not may_be_unannounced(None)
    assert not may_be_unannounced(GONE)
    assert not may_be_unannounced(live())
    assert timedelta(minutes=10) < REPEATED_WITHIN < timedelta(hours=1)


def test_a_message_may_come_again_later_than_a_command() -> None:
    image = live(access="closed", published_at=ago(hours=9), ruled_at=ago(hours=5))
    assert not may_be_unannounced(image)
    assert may_be_unannounced(image, REDELIVERED_WITHIN)
