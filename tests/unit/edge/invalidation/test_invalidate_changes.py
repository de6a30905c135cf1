"""Changes folded into invalidations, over an edge in memory."""

import json
from collections.abc import Collection

import pytest

from tests.unit.edge.invalidation.quota_cloudfront import PATHS_IN_PROGRESS, changed
from vitrine.adapters.memory.edge_cache import ALL_IMAGES, ALL_MANIFESTS, MemoryEdgeCache
from vitrine.costs.prices import price
from vitrine.edge.invalidation import (
    AT_ONCE,
    MAX_TAGS,
    PAUSES,
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
    services = InvalidateServices(edge=edge)
    changes = [read_change(ruled("shelf", version)) for version in (7, 8)]
    invalidate_changes(services, changes)
    assert edge.dropped == [[collection_tag("shelf"), MANY_COLLECTIONS_TAG]]
    invalidate_changes(services, [read_change(changed("a", 2))])
    assert edge.dropped[1:] == [[cache_tag("a")]], "an image concerns no other"


@pytest.mark.parametrize("versions", [(7, 8), (8, 7)])
def test_what_may_lack_the_tag_of_a_collection_is_dropped_with_all_images(
    edge: MemoryEdgeCache, versions: tuple[int, int]
) -> None:
    changes = [
        read_change(ruled("shelf", versions[0], everything=True)),
        read_change(ruled("shelf", versions[1])),
    ]
    invalidate_changes(InvalidateServices(edge=edge), changes)
    assert edge.dropped == [[ALL_IMAGES]]


def test_an_image_is_named_once_however_often_it_changed(edge: MemoryEdgeCache) -> None:
    changes = [TagChange("a", 2), TagChange("b", 5), TagChange("a", 3), TagChange("b", 5)]
    assert invalidate_changes(InvalidateServices(edge=edge), changes) == ["I1"]
    assert edge.dropped == [["a", "b"]]


def test_the_same_changes_are_one_invalidation_and_later_ones_another(
    edge: MemoryEdgeCache,
) -> None:
    services = InvalidateServices(edge=edge)
    invalidate_changes(services, [TagChange("a", 2), TagChange("b", 5)])
    invalidate_changes(services, [TagChange("b", 5), TagChange("a", 2)])
    assert len(edge.dropped) == 1
    invalidate_changes(services, [TagChange("a", 3), TagChange("b", 5)])
    assert len(edge.dropped) == 2


def test_every_command_is_a_new_invalidation(edge: MemoryEdgeCache) -> None:
    services = InvalidateServices(edge=edge)
    assert invalidate_images(services, ["a", "a"]) == ["I1"]
    assert invalidate_images(services, ["a"]) == ["I2"]


def test_no_request_names_more_than_half_of_what_may_be_in_progress(
    edge: MemoryEdgeCache,
) -> None:
    assert 2 * AT_ONCE <= PATHS_IN_PROGRESS
    # Each is two tags: the image's, and that of an object of the same name.
    names = [str(number) for number in range(AT_ONCE + 1)]
    assert len(invalidate_images(InvalidateServices(edge=edge), names)) == 3
    assert max(len(tags) for tags in edge.dropped) <= MAX_TAGS


@pytest.mark.parametrize(("count", "wildcard"), [(MAX_TAGS, False), (MAX_TAGS + 1, True)])
def test_many_changes_at_once_are_one_wildcard(
    edge: MemoryEdgeCache, count: int, wildcard: bool
) -> None:
    changes = [TagChange(str(number), 2) for number in range(count)]
    for _ in range(2):  # the same changes again cost nothing
        invalidate_changes(InvalidateServices(edge=edge), changes)
    (dropped,) = edge.dropped
    assert dropped == [ALL_IMAGES] if wildcard else len(dropped) == count


def test_publishing_ten_thousand_images_again_costs_a_dollar(edge: MemoryEdgeCache) -> None:
    changes = [TagChange(str(number), 2) for number in range(10_000)]
    invalidate_changes(InvalidateServices(edge=edge), changes)
    paths = sum(len(tags) for tags in edge.dropped)
    assert paths * price("CloudFront, invalidated path", "eu-west-1").usd <= 1.04


def test_many_changed_objects_cost_no_image(edge: MemoryEdgeCache) -> None:
    changes = [TagChange(manifest_tag(str(number)), 2) for number in range(MAX_TAGS + 1)]
    invalidate_changes(InvalidateServices(edge=edge), changes)
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
    invalidate_changes(InvalidateServices(edge=edge, wait=waits.append), [TagChange("a", 2)])
    assert len(edge.dropped) == 1
    assert all(0.75 * pause <= wait <= pause for wait, pause in zip(waits, PAUSES[:4], strict=True))


def test_an_edge_that_stays_full_is_left_to_another_try() -> None:
    waits: list[float] = []
    services = InvalidateServices(edge=FullEdge(refusals=100), wait=waits.append)
    with pytest.raises(TransientError):
        invalidate_changes(services, [TagChange("a", 2)])
    assert len(waits) == len(PAUSES)
