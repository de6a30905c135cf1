"""Changes folded into invalidations, over an edge in memory."""

import json
from collections.abc import Collection, Sequence

import pytest

from tests.unit.edge.invalidation.quota_cloudfront import changed
from vitrine.adapters.memory.edge_cache import ALL_IMAGES, ALL_MANIFESTS, MemoryEdgeCache
from vitrine.costs.prices import price
from vitrine.edge.invalidation import (
    MAX_TAGS,
    PAUSES,
    SLOT_SECONDS,
    InvalidateServices,
    TagChange,
    invalidate_changes,
    invalidate_images,
    read_change,
)
from vitrine.errors import TransientError
from vitrine.events import ObjectChanged, RulesChanged
from vitrine.store.layout import (
    MANY_COLLECTIONS_TAG,
    cache_tag,
    collection_tag,
    manifest_tag,
)


class FullEdge(MemoryEdgeCache):
    """It has no room at first."""

    def __init__(self, refusals: int) -> None:
        super().__init__()
        self._refusals = refusals

    def invalidate(self, tags: Collection[str], reference: str) -> str:
        if self._refusals:
            self._refusals -= 1
            raise TransientError("too much in progress")
        return super().invalidate(tags, reference)


def invalidate(edge: MemoryEdgeCache, changes: Sequence[TagChange], waiting: int = 0) -> list[str]:
    """Invalidate changes that were received long ago; `waiting` are all in the queue."""
    services = InvalidateServices(edge=edge)
    return invalidate_changes(services, changes, waiting=waiting or len(changes), received_at=0.0)


@pytest.fixture
def edge() -> MemoryEdgeCache:
    return MemoryEdgeCache()


def test_an_event_is_read_whatever_else_it_may_say() -> None:
    assert read_change(changed("Gang №1", 7)) == TagChange(cache_tag("Gang №1"), 7)
    for body in ("", "{}", '{"detail": {"identifier": "a"}}', '{"detail": "a"}'):
        with pytest.raises((KeyError, TypeError, ValueError)):
            read_change(body)


def ruled(identifier: str, version: int, *, everything: bool = False) -> str:
    detail = {"identifier": identifier, "version": version, "everything": everything}
    return json.dumps({"detail-type": RulesChanged.name(), "detail": detail})


def test_a_rule_of_a_collection_is_one_invalidation_however_many_images_it_covers(
    edge: MemoryEdgeCache,
) -> None:
    changes = [read_change(ruled("shelf", version)) for version in (7, 8)]
    invalidate(edge, changes)
    assert edge.dropped == [[collection_tag("shelf"), MANY_COLLECTIONS_TAG]]
    invalidate(edge, [read_change(changed("a", 2))])
    assert edge.dropped[1:] == [[cache_tag("a")]], "an image concerns no other"


@pytest.mark.parametrize("versions", [(7, 8), (8, 7)])
def test_what_may_lack_the_tag_of_a_collection_is_dropped_with_all_images(
    edge: MemoryEdgeCache, versions: tuple[int, int]
) -> None:
    changes = [
        read_change(ruled("shelf", versions[0], everything=True)),
        read_change(ruled("shelf", versions[1])),
    ]
    invalidate(edge, changes)
    assert edge.dropped == [[ALL_IMAGES]]


def test_an_image_is_named_once_however_often_it_changed(edge: MemoryEdgeCache) -> None:
    changes = [TagChange("a", 2), TagChange("b", 5), TagChange("a", 3), TagChange("b", 5)]
    assert invalidate(edge, changes) == ["I1"]
    assert edge.dropped == [["a", "b"]]


def test_the_same_changes_are_one_invalidation_and_later_ones_another(
    edge: MemoryEdgeCache,
) -> None:
    invalidate(edge, [TagChange("a", 2), TagChange("b", 5)])
    invalidate(edge, [TagChange("b", 5), TagChange("a", 2)])
    assert len(edge.dropped) == 1
    invalidate(edge, [TagChange("a", 3), TagChange("b", 5)])
    assert len(edge.dropped) == 2


def test_every_command_is_a_new_invalidation(edge: MemoryEdgeCache) -> None:
    services = InvalidateServices(edge=edge)
    assert invalidate_images(services, ["a", "a"]) == ["I1"]
    assert invalidate_images(services, ["a"]) == ["I2"]


@pytest.mark.parametrize(("count", "wildcard"), [(MAX_TAGS // 2, False), (MAX_TAGS, True)])
def test_a_command_for_many_images_is_one_wildcard(
    edge: MemoryEdgeCache, count: int, wildcard: bool
) -> None:
    # Each is two tags: the image's, and that of an object of the same name.
    names = [str(number) for number in range(count)]
    invalidate_images(InvalidateServices(edge=edge), names)
    (dropped,) = edge.dropped
    assert dropped == [ALL_IMAGES] if wildcard else len(dropped) == 2 * count


@pytest.mark.parametrize(("count", "wildcard"), [(MAX_TAGS, False), (MAX_TAGS + 1, True)])
def test_many_changes_at_once_are_one_wildcard(
    edge: MemoryEdgeCache, count: int, wildcard: bool
) -> None:
    invalidate(edge, [TagChange(str(number), 2) for number in range(count)])
    (dropped,) = edge.dropped
    assert dropped == [ALL_IMAGES] if wildcard else len(dropped) == count


def test_a_small_batch_of_a_long_queue_is_a_wildcard(edge: MemoryEdgeCache) -> None:
    invalidate(edge, [TagChange(str(number), 2) for number in range(60)], waiting=1_800)
    assert edge.dropped == [[ALL_IMAGES]]


def test_a_withdrawal_among_thousands_of_others_has_its_own_tag(edge: MemoryEdgeCache) -> None:
    others = [TagChange(str(number), 2) for number in range(60)]
    for state in ("gone", "removed"):
        withdrawal = read_change(changed(state, 3, state=state))
        invalidate(edge, [*others, withdrawal], waiting=1_800)
        assert [cache_tag(state)] in edge.dropped
    assert read_change(changed("a", 3, state="redirect")).is_urgent is False


def test_an_image_among_thousands_of_objects_has_its_own_tag(edge: MemoryEdgeCache) -> None:
    objects = [TagChange(manifest_tag(str(number)), 2) for number in range(60)]
    invalidate(edge, [*objects, TagChange("a", 2)], waiting=6_000)
    assert edge.dropped == [["a"], [ALL_MANIFESTS]]


@pytest.mark.parametrize("passed", [0.0, 0.5, SLOT_SECONDS / 2, SLOT_SECONDS, 60.0])
def test_batches_of_one_slot_share_an_invalidation_that_follows_all_of_them(passed: float) -> None:
    edge, clock = MemoryEdgeCache(), [0.0]

    def wait(seconds: float) -> None:
        clock[0] += seconds

    services = InvalidateServices(edge=edge, wait=wait, now=lambda: clock[0])
    changes = [TagChange(str(number), 2) for number in range(MAX_TAGS + 1)]
    for start in (100.0, 107.5):
        clock[0] = start + passed
        invalidate_changes(services, changes, waiting=0, received_at=start)
        assert start < clock[0] <= start + max(passed, SLOT_SECONDS + 1)
    assert len(edge.dropped) == 1


def test_publishing_ten_thousand_images_again_costs_a_dollar(edge: MemoryEdgeCache) -> None:
    changes = [TagChange(str(number), 2) for number in range(10_000)]
    invalidate(edge, changes)
    paths = sum(len(tags) for tags in edge.dropped)
    assert paths * price("CloudFront, invalidated path", "eu-west-1").usd <= 1.04


def test_many_changed_objects_cost_no_image(edge: MemoryEdgeCache) -> None:
    changes = [TagChange(manifest_tag(str(number)), 2) for number in range(MAX_TAGS + 1)]
    invalidate(edge, changes)
    assert edge.dropped == [[ALL_MANIFESTS]]


def test_each_publication_of_an_object_is_a_change(edge: MemoryEdgeCache) -> None:
    events = [
        ObjectChanged(identifier="a", revision=1, published_at=f"2026-11-23T10:00:00.{number:03}Z")
        for number in (7, 9)
    ]
    bodies = [
        json.dumps({"detail-type": event.name(), "detail": event.detail()}) for event in events
    ]
    earlier, later = map(read_change, bodies)
    assert earlier.tag == later.tag == manifest_tag("a")
    assert later.revision - earlier.revision == 2


def test_an_edge_without_room_is_asked_again_more_and_more_slowly() -> None:
    waits: list[float] = []
    edge = FullEdge(refusals=4)
    services = InvalidateServices(edge=edge, wait=waits.append)
    invalidate_changes(services, [TagChange("a", 2)], waiting=1, received_at=0.0)
    assert len(edge.dropped) == 1
    assert all(0.75 * pause <= wait <= pause for wait, pause in zip(waits, PAUSES[:4], strict=True))


def test_an_edge_that_stays_full_is_left_to_another_try() -> None:
    waits: list[float] = []
    services = InvalidateServices(edge=FullEdge(refusals=100), wait=waits.append)
    with pytest.raises(TransientError):
        invalidate_changes(services, [TagChange("a", 2)], waiting=1, received_at=0.0)
    assert len(waits) == len(PAUSES)
