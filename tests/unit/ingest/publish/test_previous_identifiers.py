"""A renamed master leaves its previous identifier behind as a redirect, whatever breaks."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from tests.unit.ingest.walked import walk
from vitrine.adapters.memory.faults import Breaking
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import TransientError
from vitrine.identify.resolve import MovedTo, resolve
from vitrine.ingest.services import IngestServices
from vitrine.ingest.steps.publish_image import publish_image
from vitrine.records import Gone, Live, Record, Redirect


@pytest.fixture
def followed(services: IngestServices) -> FollowedMasters:
    """Masters of different seconds, which is as exact as S3 dates them."""
    seconds = itertools.count()
    begin = datetime(2026, 11, 21, tzinfo=UTC)
    masters = MemoryObjectStore(lambda: begin + timedelta(seconds=next(seconds)))
    return FollowedMasters(replace(services, masters=masters))


def upload_as(followed: FollowedMasters, identifier: str, key: str = KEY) -> None:
    """A copy in place, as `vitrine image rename` makes it."""
    etag = followed.masters.head(key).etag
    followed.masters.copy_in_place(key, {"identifier": identifier}, if_etag=etag)
    followed.event(key)


def rename(followed: FollowedMasters, identifier: str) -> Live:
    upload_as(followed, identifier)
    followed.run()
    image = followed.services.identifiers.get(identifier)
    assert isinstance(image, Live)
    return image


def leads_to(followed: FollowedMasters, previous: str) -> str:
    """Where a redirect leads in one step."""
    record = followed.services.identifiers.get(previous)
    return record.target if isinstance(record, Redirect) else ""


def test_a_renamed_image_leaves_a_redirect(followed: FollowedMasters) -> None:
    old = followed.publish_one()
    image = rename(followed, "SK-C-5")
    assert leads_to(followed, IDENTIFIER) == "SK-C-5"
    assert image.master_key == old.master_key
    assert followed.superseded() == {old.access_master_key}
    assert followed.state() == "published"
    assert followed.events()[-1] == "ImagePublished", (
        "who lists the images then finds them all right"
    )


def test_names_can_be_given_back(followed: FollowedMasters) -> None:
    followed.publish_one()
    for name in ("second", "third", IDENTIFIER):
        rename(followed, name)
    assert (leads_to(followed, "second"), leads_to(followed, "third")) == (IDENTIFIER, IDENTIFIER)
    assert followed.answer(IDENTIFIER) == "live"


def test_a_new_upload_keeps_the_name_that_was_given_last(followed: FollowedMasters) -> None:
    followed.publish_one()
    rename(followed, "SK-C-5")
    followed.upload(b"2")
    followed.event()
    followed.run()
    assert followed.answer("SK-C-5") == "live"
    assert leads_to(followed, IDENTIFIER) == "SK-C-5"


@pytest.mark.parametrize("order", ["older first", "newer first"])
def test_a_third_name_before_the_second_was_published_leaves_no_name_behind(
    followed: FollowedMasters, order: str
) -> None:
    followed.publish_one()
    upload_as(followed, "second")
    [older] = followed.started()
    followed.ran.add(older.execution)
    upload_as(followed, "third")
    [newer] = followed.started()
    for request in (older, newer) if order == "older first" else (newer, older):
        followed.publish(followed.convert(request))
    assert followed.answer("third") == "live"
    assert leads_to(followed, IDENTIFIER) == "third"
    assert followed.services.identifiers.get("second") is None, "it was never published"


@pytest.mark.parametrize("moment", ["before the flip", "before the outcome"])
def test_a_publication_that_was_overtaken_in_its_last_step_becomes_a_redirect(
    followed: FollowedMasters, moment: str
) -> None:
    """It saw that it was the newest, then another took over and went all the way."""
    followed.publish_one()
    upload_as(followed, "second")
    [older] = followed.started()
    ready = followed.convert(older)
    followed.ran.add(older.execution)
    port, method = ("records", "put") if moment == "before the flip" else ("outcomes", "record")
    interrupted = Interrupted(
        getattr(followed.services, port), method, lambda: rename(followed, "third")
    )
    publish_image(replace(followed.services, **{port: interrupted}), ready)
    assert followed.answer("third") == "live"
    assert (leads_to(followed, IDENTIFIER), leads_to(followed, "second")) == ("third", "third")


class Interrupted:
    """Something else happens before the first call of one method."""

    def __init__(self, port: Any, method: str, happens: Callable[[], object]) -> None:
        self._port, self._method, self._happens = port, method, happens

    def __getattr__(self, name: str) -> Any:
        if name == self._method and self._happens:
            happens, self._happens = self._happens, None  # type: ignore[assignment]
            happens()
        return getattr(self._port, name)


METHODS = {
    "records": frozenset({"put"}),
    "identifiers": frozenset({"write", "get", "redirects_to"}),
    "outcomes": frozenset({"record", "get"}),
    "events": frozenset({"publish"}),
}


@pytest.mark.parametrize("port", METHODS)
def test_a_rename_that_breaks_off_ends_where_an_unbroken_one_does(
    followed: FollowedMasters, port: str
) -> None:
    old = followed.publish_one()
    redirect = Redirect(identifier="older", revision=1, target=IDENTIFIER, changed_at="2026")
    followed.services.identifiers.write(redirect, None)
    upload_as(followed, "SK-C-5")
    [request] = followed.started()
    ready = followed.convert(request)
    followed.ran.add(request.execution)
    for calls in range(1, 9):
        broken = Late(getattr(followed.services, port), METHODS[port], calls)
        try:
            publish_image(replace(followed.services, **{port: broken}), ready)
        except TransientError:
            publish_image(followed.services, ready)
        else:
            break
        for name in (IDENTIFIER, "older"):
            assert answers(followed, name) == MovedTo("SK-C-5")
    assert (leads_to(followed, IDENTIFIER), leads_to(followed, "older")) == ("SK-C-5", "SK-C-5")
    assert followed.state() == "published"
    walk(followed)
    assert followed.superseded() == {old.access_master_key}


class Late(Breaking):
    """Only the call with this number fails."""

    def __init__(self, port: Any, methods: frozenset[str], number: int) -> None:
        super().__init__(port, methods=methods)
        self._left = number

    def __getattr__(self, name: str) -> Any:
        if name in self._methods:
            self._left -= 1
            if self._left == 0:
                raise TransientError(f"{name}: broken on purpose")
        return getattr(self._port, name)


def answers(followed: FollowedMasters, identifier: str) -> object:
    record: Record | None = followed.services.identifiers.get(identifier)
    end = record
    while isinstance(end, Redirect):
        end = followed.services.identifiers.get(end.target)
    return resolve(record, end)


def test_the_reconciler_finds_nothing_to_do_after_a_rename(followed: FollowedMasters) -> None:
    followed.publish_one()
    image = rename(followed, "SK-C-5")
    assert walk(followed) == {"masters": 1, "access_masters": 2}
    assert image.access_master_key not in followed.superseded()


def test_a_previous_name_that_another_master_has_by_now_stays_its(
    followed: FollowedMasters,
) -> None:
    followed.publish_one()
    upload_as(followed, "second")
    [renamed] = followed.started()
    ready = followed.convert(renamed)
    followed.ran.add(renamed.execution)
    current = followed.services.identifiers.get(IDENTIFIER)
    assert isinstance(current, Live)
    taken = replace(current, master_key="b/nachtwache.tif", revision=2)
    followed.services.identifiers.write(taken, current)
    assert followed.publish(ready) == "published"
    assert followed.services.identifiers.get(IDENTIFIER) == taken


def test_a_withdrawn_name_stays_withdrawn_when_its_master_gets_another(
    followed: FollowedMasters,
) -> None:
    current = followed.publish_one()
    tombstone = Gone(
        identifier=IDENTIFIER, revision=2, reason="rights", changed_at="2026", by_curator=False
    )
    followed.services.identifiers.write(tombstone, current)
    rename(followed, "SK-C-5")
    assert followed.services.identifiers.get(IDENTIFIER) == tombstone


def test_a_deleted_master_takes_all_its_names_with_it(followed: FollowedMasters) -> None:
    followed.publish_one()
    rename(followed, "SK-C-5")
    followed.masters.delete(KEY)
    followed.event()
    assert followed.grace_ends() == ["withdrawn"]
    assert followed.answer("SK-C-5") == "gone"
    assert answers(followed, IDENTIFIER) == answers(followed, "SK-C-5")
