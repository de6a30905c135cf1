"""A new version is published with the version that is shown until its moment."""

from dataclasses import replace
from datetime import datetime

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, FollowedMasters
from vitrine.identify.access_changes import set_access
from vitrine.ingest.services import IngestServices
from vitrine.records import Live
from vitrine.store.clock import now

SECONDS = 90


@pytest.fixture
def followed(services: IngestServices) -> FollowedMasters:
    return FollowedMasters(replace(services, switch_seconds=SECONDS))


def seconds_between(image: Live) -> float:
    times = (datetime.fromisoformat(text) for text in (image.published_at, image.holds_from))
    published, holds = times
    return (holds - published).total_seconds()


def test_a_new_version_is_published_with_the_one_that_is_shown_until_its_moment(
    followed: FollowedMasters,
) -> None:
    first = followed.publish_one(b"1")
    assert (first.before, first.holds_from) == (None, ""), "there is nothing to wait for"
    second = followed.publish_one(b"2")
    assert second.before == first
    assert seconds_between(second) == SECONDS


@pytest.mark.parametrize("rules", [[], ["closed"], ["closed", "open"]])
def test_a_publication_that_is_repeated_changes_nothing(
    followed: FollowedMasters, rules: list[str]
) -> None:
    followed.publish_one(b"1")
    for rule in rules:
        followed.services.register.change(IDENTIFIER, set_access(IDENTIFIER, rule, now()))
    followed.upload(b"2")
    followed.event()
    [request] = followed.started()
    ready = followed.convert(request)
    assert followed.publish(ready) == "published"
    once = followed.services.identifiers.get(IDENTIFIER)
    assert followed.publish(ready) == "published"
    assert followed.services.identifiers.get(IDENTIFIER) == once
