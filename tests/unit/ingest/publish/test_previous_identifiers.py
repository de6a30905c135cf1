"""A master under another identifier leaves its former one behind as a redirect, whatever breaks."""

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
def bed(services: IngestServices) -> FollowedMasters:
    """Masters of different seconds, which is as exact as S3 dates them."""
    seconds = itertools.count()
    begin = datetime(2026, 11, 21, tzinfo=UTC)
    masters = MemoryObjectStore(lambda: begin + timedelta(seconds=next(seconds)))
    return FollowedMasters(replace(services, masters=masters))


def upload_as(bed: FollowedMasters, identifier: str, key: str = KEY) -> None:
    """A copy in place, as `vitrine image rename` makes it."""
    etag = bed.masters.head(key).etag
    bed.masters.copy_in_place(key, {"identifier": identifier}, if_etag=etag)
    bed.event(key)


def rename(bed: FollowedMasters, identifier: str) -> Live:
    upload_as(bed, identifier)
    bed.run()
    image = bed.services.identifiers.get(identifier)
    assert isinstance(image, Live)
    return image


def leads_to(bed: FollowedMasters, former: str) -> str:
    """Where a redirect leads in one step."""
    record = bed.services.identifiers.get(former)
    return record.target if isinstance(record, Redirect) else ""


def test_a_renamed_image_leaves_a_redirect(bed: FollowedMasters) -> None:
    old = bed.publish_one()
    image = rename(bed, "SK-C-5")
    assert leads_to(bed, IDENTIFIER) == "SK-C-5"
    assert image.master_key == old.master_key
    assert bed.superseded() == {old.access_master_key}
    assert bed.state() == "published"
    assert bed.events()[-1] == "ImagePublished", "who lists the images then finds them all right"


def test_redirects_to_the_former_name_follow(bed: FollowedMasters) -> None:
    bed.publish_one()
    redirect = Redirect(identifier="older", revision=1, target=IDENTIFIER, changed_at="2026")
    bed.services.identifiers.write(redirect, None)
    rename(bed, "SK-C-5")
    assert leads_to(bed, "older") == "SK-C-5"


def test_names_can_be_given_back(bed: FollowedMasters) -> None:
    bed.publish_one()
    for name in ("second", "third", IDENTIFIER):
        rename(bed, name)
    assert (leads_to(bed, "second"), leads_to(bed, "third")) == (IDENTIFIER, IDENTIFIER)
    assert bed.answer(IDENTIFIER) == "live"


def test_a_new_upload_keeps_the_name_that_was_given_last(bed: FollowedMasters) -> None:
    bed.publish_one()
    rename(bed, "SK-C-5")
    bed.upload(b"2")
    bed.event()
    bed.run()
    assert bed.answer("SK-C-5") == "live"
    assert leads_to(bed, IDENTIFIER) == "SK-C-5"


@pytest.mark.parametrize("order", ["older first", "newer first"])
def test_a_third_name_before_the_second_was_published_leaves_no_name_behind(
    bed: FollowedMasters, order: str
) -> None:
    bed.publish_one()
    upload_as(bed, "second")
    [older] = bed.started()
    bed.ran.add(older.execution)
    upload_as(bed, "third")
    [newer] = bed.started()
    for request in (older, newer) if order == "older first" else (newer, older):
        bed.publish(bed.convert(request))
    assert bed.answer("third") == "live"
    assert leads_to(bed, IDENTIFIER) == "third"
    assert bed.services.identifiers.get("second") is None, "it was never published"


@pytest.mark.parametrize("moment", ["before the flip", "before the outcome"])
def test_a_publication_that_was_overtaken_in_its_last_step_becomes_a_redirect(
    bed: FollowedMasters, moment: str
) -> None:
    """It saw that it was the newest, then another took over and went all the way."""
    bed.publish_one()
    upload_as(bed, "second")
    [older] = bed.started()
    ready = bed.convert(older)
    bed.ran.add(older.execution)
    port, method = ("records", "put") if moment == "before the flip" else ("outcomes", "record")
    interrupted = Interrupted(getattr(bed.services, port), method, lambda: rename(bed, "third"))
    publish_image(replace(bed.services, **{port: interrupted}), ready)
    assert bed.answer("third") == "live"
    assert (leads_to(bed, IDENTIFIER), leads_to(bed, "second")) == ("third", "third")


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
    bed: FollowedMasters, port: str
) -> None:
    old = bed.publish_one()
    redirect = Redirect(identifier="older", revision=1, target=IDENTIFIER, changed_at="2026")
    bed.services.identifiers.write(redirect, None)
    upload_as(bed, "SK-C-5")
    [request] = bed.started()
    ready = bed.convert(request)
    bed.ran.add(request.execution)
    for calls in range(1, 9):
        broken = Late(getattr(bed.services, port), METHODS[port], calls)
        try:
            publish_image(replace(bed.services, **{port: broken}), ready)
        except TransientError:
            publish_image(bed.services, ready)
        else:
            break
        for name in (IDENTIFIER, "older"):
            assert answers(bed, name) == MovedTo("SK-C-5")
    assert (leads_to(bed, IDENTIFIER), leads_to(bed, "older")) == ("SK-C-5", "SK-C-5")
    assert bed.state() == "published"
    walk(bed)
    assert bed.superseded() == {old.access_master_key}


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


def answers(bed: FollowedMasters, identifier: str) -> object:
    record: Record | None = bed.services.identifiers.get(identifier)
    end = record
    while isinstance(end, Redirect):
        end = bed.services.identifiers.get(end.target)
    return resolve(record, end)


def test_the_reconciler_finds_nothing_to_do_after_a_rename(bed: FollowedMasters) -> None:
    bed.publish_one()
    image = rename(bed, "SK-C-5")
    assert walk(bed) == {"masters": 1, "access_masters": 2}
    assert image.access_master_key not in bed.superseded()


def test_a_former_name_that_another_master_has_by_now_stays_its(bed: FollowedMasters) -> None:
    bed.publish_one()
    upload_as(bed, "second")
    [renamed] = bed.started()
    ready = bed.convert(renamed)
    bed.ran.add(renamed.execution)
    there = bed.services.identifiers.get(IDENTIFIER)
    assert isinstance(there, Live)
    taken = replace(there, master_key="b/nachtwache.tif", revision=2)
    bed.services.identifiers.write(taken, there)
    assert bed.publish(ready) == "published"
    assert bed.services.identifiers.get(IDENTIFIER) == taken


def test_a_withdrawn_name_stays_withdrawn_when_its_master_gets_another(
    bed: FollowedMasters,
) -> None:
    there = bed.publish_one()
    tombstone = Gone(identifier=IDENTIFIER, revision=2, reason="rights", changed_at="2026")
    bed.services.identifiers.write(tombstone, there)
    rename(bed, "SK-C-5")
    assert bed.services.identifiers.get(IDENTIFIER) == tombstone


def test_a_deleted_master_takes_all_its_names_with_it(bed: FollowedMasters) -> None:
    bed.publish_one()
    rename(bed, "SK-C-5")
    bed.masters.delete(KEY)
    bed.event()
    assert bed.grace_ends() == ["withdrawn"]
    assert bed.answer("SK-C-5") == "gone"
    assert answers(bed, IDENTIFIER) == answers(bed, "SK-C-5")
