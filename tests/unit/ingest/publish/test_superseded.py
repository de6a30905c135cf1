"""Access masters that nothing answers with expire; those that are live never do."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.ingest.followed_masters import IDENTIFIER, KEY, FollowedMasters
from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import TransientError
from vitrine.ingest.publish.superseded import keep_live, tag_superseded
from vitrine.ingest.steps.convert_master import _find_conversion
from vitrine.records import Live
from vitrine.store.layout import SUPERSEDED_TAG


def test_a_replaced_access_master_expires(followed: FollowedMasters) -> None:
    old = followed.publish_one(b"1")
    assert followed.superseded() == set()
    followed.publish_one(b"2")
    assert followed.superseded() == {old.access_master_key}


def test_a_republication_of_the_same_bytes_expires_nothing(followed: FollowedMasters) -> None:
    followed.publish_one(b"1")
    followed.publish_one(b"1")
    assert followed.superseded() == set()


def test_a_tag_that_fails_does_not_fail_the_publication(followed: FollowedMasters) -> None:
    followed.publish_one(b"1")
    broken = Breaking(followed.services.access_masters, times=9, methods=frozenset({"tag"}))
    cut = FollowedMasters(replace(followed.services, access_masters=broken))
    followed.upload(b"2")
    followed.event()
    [request] = followed.started()
    assert cut.publish(followed.convert(request)) == "published"
    assert followed.state() == "published"
    assert followed.superseded() == set()


def test_what_an_overtaken_run_made_expires(followed: FollowedMasters) -> None:
    followed.upload(b"1")
    followed.event()
    [older] = followed.started()
    ready = followed.convert(older)
    followed.publish_one(b"2")
    assert followed.publish(ready) == "superseded"
    assert followed.superseded() == {ready.access_master_key}


def test_what_an_overtaken_run_made_of_the_same_bytes_stays(followed: FollowedMasters) -> None:
    followed.upload(b"1")
    followed.event()
    [older] = followed.started()
    ready = followed.convert(older)
    live = followed.publish_one(b"1")
    assert followed.publish(ready) == "superseded"
    assert ready.access_master_key == live.access_master_key
    assert followed.superseded() == set()


@pytest.mark.parametrize("moment", ["before", "between", "after"])
def test_an_access_master_published_while_it_is_tagged_is_kept(
    followed: FollowedMasters, moment: str
) -> None:
    """Of an overtaken run and one of the same bytes, in every order."""
    followed.upload(b"1")
    followed.event()
    [request] = followed.started()
    ready = followed.convert(request)
    store = followed.services.access_masters

    class Interrupted:
        def __getattr__(self, name: str) -> Any:
            return getattr(store, name)

        def tag(self, key: str, tags: Any) -> None:
            interrupt("before", tags)
            store.tag(key, tags)
            interrupt("between", tags)

    def interrupt(now: str, tags: Any) -> None:
        if now == moment and tags:
            followed.publish(ready)

    services = replace(followed.services, access_masters=Interrupted())  # type: ignore[arg-type]
    tag_superseded(services, IDENTIFIER, ready.access_master_key)
    if moment == "after":
        followed.publish(ready)
    assert followed.answer() == "live"
    assert followed.superseded() == set()


def test_a_publication_that_cannot_see_the_tags_is_tried_again(followed: FollowedMasters) -> None:
    followed.upload()
    followed.event()
    [request] = followed.started()
    ready = followed.convert(request)
    broken = Breaking(followed.services.access_masters, times=1, methods=frozenset({"tags"}))
    cut = FollowedMasters(replace(followed.services, access_masters=broken))
    with pytest.raises(TransientError):
        cut.publish(ready)
    followed.services.access_masters.tag(ready.access_master_key, SUPERSEDED_TAG)
    assert cut.publish(ready) == "published"
    assert followed.superseded() == set()


def test_what_is_about_to_expire_is_not_published_again_but_converted(
    followed: FollowedMasters,
) -> None:
    image = followed.publish_one()
    key = image.access_master_key
    looked: list[Callable[[], Any]] = [lambda: _find_conversion(followed.services, key)]
    followed.services.access_masters.tag(key, SUPERSEDED_TAG)
    assert looked[0]() is None
    keep_live(followed.services, key)
    assert followed.superseded() == set()


def test_an_access_master_that_is_gone_is_no_trouble(followed: FollowedMasters) -> None:
    assert tag_superseded(followed.services, IDENTIFIER, "00/nachtwache/none.tif") is False
    image = followed.publish_one(key=KEY)
    assert isinstance(image, Live)
