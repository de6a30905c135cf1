"""Invalidation of changed identifiers at the edge, in as few requests as its quotas demand.

The queue delays every change until no gateway answers from an older record (`settled_seconds`),
so that the edge is filled again with new answers only (docs/adr/0010).
"""

import hashlib
import json
import math
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from vitrine.errors import TransientError
from vitrine.events import ObjectChanged, RulesChanged
from vitrine.ports import EdgeCache
from vitrine.store.layout import (
    COLLECTION_TAG_PREFIX,
    MANIFEST_TAG_PREFIX,
    MANY_COLLECTIONS_TAG,
    cache_tag,
    collection_tag,
    manifest_tag,
)

AT_ONCE = 1_500
"""Messages in one batch: half of the 3,000 tags that CloudFront allows in progress, so that each of
two workers has its turn (CloudFront, "Concurrent invalidation request maximum")."""
MAX_TAGS = 200
"""More changes of one kind than these are wildcards instead, two for manifests and four for images:
each costs as much as one tag, $0.005. Then the origin answers for a while what the edge had."""
SLOT_SECONDS = 10
"""Between two invalidations of all images, whose four wildcards take 25 seconds: twelve of the
fifteen that CloudFront allows in progress. Each of them serves all batches received before."""
CLOCKS_APART_SECONDS = 1
"""Difference between the clocks of SQS and Lambda, at the most."""
SETTLING_SECONDS = 15
"""Added to the lifetime of a record in a gateway: 5 for the read that was under way when the
record changed, 10 for the last answer on its way to the edge."""
PURGE_SECONDS = 50
"""Time for an invalidation after the delay: 10 in which a batch gathers, 11 until a slot for all
images begins, 4 for the worker, 25 in which CloudFront ends 95 % of its invalidations."""
PAUSES = (1.0, 2.0, 4.0, *[8.0] * 9)
"""Seconds between attempts while the quota is used up, up to a quarter shorter at random: a
minute, in which CloudFront ends two rounds of invalidations (25 seconds each, 95 %)."""


@dataclass(frozen=True, order=True, slots=True)
class TagChange:
    """One change of what the edge keeps under a tag, as `ImageChanged` or `ObjectChanged` says."""

    tag: str
    revision: int
    """Grows with each change of what has this tag."""
    everything: bool = False
    """True if some of it lacks the tag, so that all images have to be dropped."""
    is_withdrawal: bool = False
    """True if an image is not to be seen any more, which waits for no others."""

    @property
    def is_urgent(self) -> bool:
        """True for a withdrawal, and for a rule of access that covers a collection."""
        return self.is_withdrawal or self.tag.startswith(COLLECTION_TAG_PREFIX)


@dataclass(frozen=True, kw_only=True)
class InvalidateServices:
    """The services that invalidation works with."""

    edge: EdgeCache
    wait: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    """Seconds since 1970."""


def settled_seconds(identifier_ttl_seconds: int) -> int:
    """Return the time after a change from which every gateway answers with the new record."""
    return identifier_ttl_seconds + SETTLING_SECONDS


def switch_seconds(identifier_ttl_seconds: int) -> int:
    """Return how long after its publication a version takes the place of the one before it.

    By then every gateway knows of it, and the edge has forgotten the one before.
    """
    return settled_seconds(identifier_ttl_seconds) + PURGE_SECONDS


def read_change(body: str) -> TagChange:
    """Return the change in a message, an event as EventBridge delivers it.

    Raises KeyError, TypeError or ValueError if the message is not a change.
    """
    event = json.loads(body)
    identifier = str(event["detail"]["identifier"])
    if event.get("detail-type") == RulesChanged.name():
        detail = event["detail"]
        tag, everything = collection_tag(identifier), bool(detail.get("everything"))
        return TagChange(tag, int(detail["version"]), everything)
    if event.get("detail-type") == ObjectChanged.name():
        # Its revision stays when its images change.
        published_at = datetime.fromisoformat(event["detail"]["published_at"])
        return TagChange(manifest_tag(identifier), round(1000 * published_at.timestamp()))
    withdrawn = event["detail"].get("state") in ("gone", "removed")
    revision = int(event["detail"]["revision"])
    return TagChange(cache_tag(identifier), revision, is_withdrawal=withdrawn)


def invalidate_changes(
    services: InvalidateServices, changes: Sequence[TagChange], *, waiting: int, received_at: float
) -> list[str]:
    """Invalidate each changed tag once, and return the edge's names of the invalidations.

    `waiting` is about how many changes the queue has, these included: a batch is what one of
    several pollers got, so a small one may belong to many. So many that tags would be expensive
    are wildcards instead. `received_at` is when the last of these left the queue, in seconds since
    1970.

    The same changes again are the same invalidation, which costs nothing. Raises TransientError if
    the edge's quota is used up for a minute.
    """
    newest = _choose_newest(changes)
    edge, pauses = services.edge, iter(PAUSES)
    if any(change.everything for change in newest):
        reference = _invalidation_reference(newest)
        return [_attempt(services, lambda: edge.invalidate_all_images(reference), pauses)]
    few, crowds = _split_crowds(newest, waiting / len(changes))
    made: list[str] = []
    if few:
        tags, reference = _tags(few), _invalidation_reference(few)
        made.append(_attempt(services, lambda: edge.invalidate(tags, reference), pauses))
    if crowds:
        slot = _wait_for_slot(services, received_at)
        if all(_is_manifest(change) for change in crowds):
            drop, name = edge.invalidate_all_manifests, f"manifests-{slot}"
        else:
            drop, name = edge.invalidate_all_images, f"images-{slot}"
        made.append(_attempt(services, lambda: drop(name), pauses))
    return made


def invalidate_images(services: InvalidateServices, identifiers: Iterable[str]) -> list[str]:
    """Invalidate these images and what is published of objects under the same identifiers.

    Whether they changed or not. Raises TransientError as above.
    """
    distinct = sorted(set(identifiers))
    tags = [tag for name in distinct for tag in (cache_tag(name), manifest_tag(name))]
    edge, reference = services.edge, new_reference()

    def invalidate() -> str:
        if len(tags) > MAX_TAGS:
            return edge.invalidate_all_images(reference)
        return edge.invalidate(tags, reference)

    return [_attempt(services, invalidate, iter(PAUSES))] if tags else []


def new_reference() -> str:
    """Return a reference that was never used before."""
    return uuid.uuid4().hex


def _choose_newest(changes: Iterable[TagChange]) -> list[TagChange]:
    """Return the newest change of each tag."""
    newest = dict[str, TagChange]()
    for change in sorted(changes):
        if before := newest.get(change.tag):
            change = replace(change, everything=change.everything or before.everything)
        newest[change.tag] = change
    return list(newest.values())


def _split_crowds(
    changes: Sequence[TagChange], in_queue: float
) -> tuple[list[TagChange], list[TagChange]]:
    """Return the changes to invalidate by tags, and those of which there are too many.

    Urgent ones are counted in this batch alone, so that one of them among thousands of others has
    its own tag. Of manifests and images the queue has `in_queue` times as many as the batch.
    """
    few, crowds = list[TagChange](), list[TagChange]()
    urgent = [change for change in changes if change.is_urgent]
    others = [change for change in changes if not change.is_urgent]
    manifests = [change for change in others if _is_manifest(change)]
    images = [change for change in others if not _is_manifest(change)]
    for kind, count in (
        (urgent, len(urgent)),
        (manifests, max(1, in_queue) * len(manifests)),
        (images, max(1, in_queue) * len(images)),
    ):
        (crowds if count > MAX_TAGS else few).extend(kind)
    return few, crowds


def _is_manifest(change: TagChange) -> bool:
    return change.tag.startswith(MANIFEST_TAG_PREFIX)


def _tags(changes: Sequence[TagChange]) -> list[str]:
    """Return the tags of these changes, and that of images in many collections if one is ruled."""
    tags = [change.tag for change in changes]
    is_of_rules = any(tag.startswith(COLLECTION_TAG_PREFIX) for tag in tags)
    return [*tags, *([MANY_COLLECTIONS_TAG] if is_of_rules else [])]


def _invalidation_reference(changes: Sequence[TagChange]) -> str:
    return hashlib.sha256(repr(changes).encode()).hexdigest()


def _wait_for_slot(services: InvalidateServices, received_at: float) -> int:
    """Wait until a slot has begun since the changes were received, and return its number.

    All workers number slots alike. The first one invalidates, and to the edge the others' requests
    in this slot are repetitions of it, which cost nothing.
    """
    first = math.ceil((received_at + CLOCKS_APART_SECONDS) / SLOT_SECONDS)
    missing = first * SLOT_SECONDS - services.now()
    if missing > 0:
        services.wait(missing)
    return max(first, math.floor(services.now() / SLOT_SECONDS))


def _attempt(
    services: InvalidateServices, invalidate: Callable[[], str], pauses: Iterator[float]
) -> str:
    for pause in pauses:
        try:
            return invalidate()
        except TransientError:
            services.wait(random.uniform(0.75 * pause, pause))
    return invalidate()
