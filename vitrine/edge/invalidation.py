"""Invalidation of changed identifiers at the edge, in as few requests as its quotas demand.

The queue delays every change until no gateway answers from an older record (`settled_seconds`),
so that the edge is filled again with new answers only (docs/adr/0010).
"""

import hashlib
import json
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

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
"""Tags in one request: half of the 3,000 that CloudFront allows in progress, so that each of two
workers has its turn (CloudFront, "Concurrent invalidation request maximum")."""
MAX_TAGS = 200
"""A larger batch drops all images by four wildcards: each costs as much as one
tag, $0.005. Then the origin answers for a while what the edge had."""
SETTLING_SECONDS = 15
"""Added to the lifetime of a record in a gateway: 5 for the read that was under way when the
record changed, 10 for the last answer on its way to the edge."""
PURGE_SECONDS = 45
"""Time for an invalidation after the delay: 10 in which a batch gathers, 10 for the worker, 25 in
which CloudFront ends 95 % of its invalidations."""
PAUSES = (1.0, 2.0, 4.0, *[8.0] * 9)
"""Seconds between attempts while the quota is used up, up to a quarter shorter at random: a
minute, in which CloudFront ends two rounds of invalidations (25 seconds each, 95 %)."""

T = TypeVar("T")


@dataclass(frozen=True, order=True, slots=True)
class TagChange:
    """One change of what the edge keeps under a tag, as `ImageChanged` or `ObjectChanged` says."""

    tag: str
    revision: int
    """Grows with each change of what has this tag."""
    everything: bool = False
    """True if some of it lacks the tag, so that all images have to be dropped."""


@dataclass(frozen=True, kw_only=True)
class InvalidateServices:
    """The services that invalidation works with."""

    edge: EdgeCache
    wait: Callable[[float], None] = time.sleep


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
    return TagChange(cache_tag(identifier), int(event["detail"]["revision"]))


def invalidate_changes(services: InvalidateServices, changes: Iterable[TagChange]) -> list[str]:
    """Invalidate each changed tag once, and return the edge's names of the invalidations.

    So many that tags would be expensive are a few wildcards instead, which drop all images.

    The same changes again are the same invalidation, which costs nothing. Raises TransientError if
    the edge's quota is used up for a minute.
    """
    newest = dict[str, TagChange]()
    for change in sorted(changes):
        if before := newest.get(change.tag):
            change = replace(change, everything=change.everything or before.everything)
        newest[change.tag] = change
    return [
        _invalidate_part(
            services,
            _tags(part),
            _invalidation_reference(part),
            everything=any(change.everything for change in part),
        )
        for part in _split_items(list(newest.values()))
    ]


def invalidate_images(services: InvalidateServices, identifiers: Iterable[str]) -> list[str]:
    """Invalidate these images and what is published of objects under the same identifiers.

    Whether they changed or not. Raises TransientError as above.
    """
    distinct = sorted(set(identifiers))
    tags = [tag for name in distinct for tag in (cache_tag(name), manifest_tag(name))]
    return [_invalidate_part(services, part, new_reference()) for part in _split_items(tags)]


def _tags(changes: Sequence[TagChange]) -> list[str]:
    """Return the tags of these changes, and that of images in many collections if one is ruled."""
    tags = [change.tag for change in changes]
    is_of_rules = any(tag.startswith(COLLECTION_TAG_PREFIX) for tag in tags)
    return [*tags, *([MANY_COLLECTIONS_TAG] if is_of_rules else [])]


def new_reference() -> str:
    """Return a reference that was never used before."""
    return uuid.uuid4().hex


def _invalidation_reference(changes: Sequence[TagChange]) -> str:
    return hashlib.sha256(repr(changes).encode()).hexdigest()


def _invalidate_part(
    services: InvalidateServices,
    tags: Sequence[str],
    reference: str,
    *,
    everything: bool = False,
) -> str:
    def invalidate() -> str:
        if everything:
            return services.edge.invalidate_all_images(reference)
        if len(tags) > MAX_TAGS and all(tag.startswith(MANIFEST_TAG_PREFIX) for tag in tags):
            return services.edge.invalidate_all_manifests(reference)
        if len(tags) > MAX_TAGS:
            return services.edge.invalidate_all_images(reference)
        return services.edge.invalidate(tags, reference)

    for pause in PAUSES:
        try:
            return invalidate()
        except TransientError:
            services.wait(random.uniform(0.75 * pause, pause))
    return invalidate()


def _split_items(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))
