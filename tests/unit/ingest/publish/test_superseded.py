"""Access masters that nothing answers with expire; those that are live never do."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import TransientError
from vitrine.ingest.publish.superseded import keep_live, tag_superseded
from vitrine.ingest.services import IngestServices
from vitrine.ingest.steps.convert_master import _find_conversion
from vitrine.records import Live
from vitrine.store.layout import SUPERSEDED_TAG


@pytest.fixture
def bed(services: IngestServices) -> FollowedMasters:
    return FollowedMasters(services)


def test_a_replaced_access_master_expires(bed: FollowedMasters) -> None:
    old = bed.publish_one(b"1")
    assert bed.superseded() == set()
    bed.publish_one(b"2")
    assert bed.superseded() == {old.access_master_key}


def test_a_republication_of_the_same_bytes_expires_nothing(bed: FollowedMasters) -> None:
    bed.publish_one(b"1")
    bed.publish_one(b"1")
    assert bed.superseded() == set()


def test_a_tag_that_fails_does_not_fail_the_publication(bed: FollowedMasters) -> None:
    bed.publish_one(b"1")
    broken = Breaking(bed.services.access_masters, times=9, methods=frozenset({"tag"}))
    cut = FollowedMasters(replace(bed.services, access_masters=broken))
    bed.upload(b"2")
    bed.event()
    [request] = bed.started()
    assert cut.publish(bed.convert(request)) == "published"
    assert bed.state() == "published"
    assert bed.superseded() == set()


def test_what_an_overtaken_run_made_expires(bed: FollowedMasters) -> None:
    bed.upload(b"1")
    bed.event()
    [older] = bed.started()
    ready = bed.convert(older)
    bed.publish_one(b"2")
    assert bed.publish(ready) == "superseded"
    assert bed.superseded() == {ready.access_master_key}


def test_what_an_overtaken_run_made_of_the_same_bytes_stays(bed: FollowedMasters) -> None:
    bed.upload(b"1")
    bed.event()
    [older] = bed.started()
    ready = bed.convert(older)
    live = bed.publish_one(b"1")
    assert bed.publish(ready) == "superseded"
    assert ready.access_master_key == live.access_master_key
    assert bed.superseded() == set()


@pytest.mark.parametrize("moment", ["before", "between", "after"])
def test_an_access_master_published_while_it_is_tagged_is_kept(
    bed: FollowedMasters, moment: str
) -> None:
    """Of an overtaken run and one of the same bytes, in every order."""
    bed.upload(b"1")
    bed.event()
    [request] = bed.started()
    ready = bed.convert(request)
    store = bed.services.access_masters

    class Interrupted:
        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def tag(self, key: str, tags: Any) -> None:
            interrupt("before", tags)
            store.tag(key, tags)
            interrupt("between", tags)

    def interrupt(now: str, tags: Any) -> None:
        if now == moment and tags:
            bed.publish(ready)

    services = replace(bed.services, access_masters=Interrupted())  # type: ignore[arg-type]
    tag_superseded(services, IDENTIFIER, ready.access_master_key)
    if moment == "after":
        bed.publish(ready)
    assert bed.answer() == "live"
    assert bed.superseded() == set()


def test_a_publication_that_cannot_see_the_tags_is_tried_again(bed: FollowedMasters) -> None:
    bed.upload()
    bed.event()
    [request] = bed.started()
    ready = bed.convert(request)
    broken = Breaking(bed.services.access_masters, times=1, methods=frozenset({"tags"}))
    cut = FollowedMasters(replace(bed.services, access_masters=broken))
    with pytest.raises(TransientError):
        cut.publish(ready)
    bed.services.access_masters.tag(ready.access_master_key, SUPERSEDED_TAG)
    assert cut.publish(ready) == "published"
    assert bed.superseded() == set()


def test_what_is_about_to_expire_is_not_published_again_but_converted(
    bed: FollowedMasters,
) -> None:
    image = bed.publish_one()
    key = image.access_master_key
    looked: list[Callable[[], Any]] = [lambda: _find_conversion(bed.services, key)]
    bed.services.access_masters.tag(key, SUPERSEDED_TAG)
    assert looked[0]() is None
    keep_live(bed.services, key)
    assert bed.superseded() == set()


def test_an_access_master_that_is_gone_is_no_trouble(bed: FollowedMasters) -> None:
    assert tag_superseded(bed.services, IDENTIFIER, "00/nachtwache/none.tif") is False
    image = bed.publish_one(key=KEY)
    assert isinstance(image, Live)
