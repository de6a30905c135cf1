"""All that is published is made again from the journals: after a loss, or for another theme."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from vitrine.catalogue.outdated_pages import THREADS
from vitrine.catalogue.publisher import Publisher
from vitrine.identify.journal import Journal
from vitrine.slices import split_batches

BATCH = 1_000
"""Identifiers that are in memory at a time."""

T = TypeVar("T")


def rebuild_publications(
    publisher: Publisher,
    on_progress: Callable[[int], None] = lambda done: None,
    *,
    with_pages: bool = False,
) -> dict[str, int]:
    """Publish what every record of the journal says; `with_pages`, compare all pages as well.

    What they say of others is in the catalogue then. With pages, those of images are compared as
    well; the table of collections' rules is made again, and noted which collections show an image.
    Returns how many `objects` there are, and how many were `written` or are `left_out` because of
    their own data (`omissions.py`). Raises TransientError; a second run writes what the first one
    did not.
    """

    def publish(identifier: str) -> str:
        _write_statements(publisher, identifier)
        result = publisher.publish(identifier, with_pages=with_pages)
        return "written" if result and result.made else ""

    def try_publishing(identifier: str) -> str:
        return publisher.omissions.attempt(identifier, lambda: publish(identifier), "left_out")

    counts = {"objects": 0, "written": 0, "left_out": 0}
    for outcome in _map(try_publishing, publisher.journal.identifiers()):
        counts["objects"] += 1
        if outcome:
            counts[outcome] += 1
        on_progress(counts["objects"])
    publisher.omissions.store()
    publisher.catalogue.plant_canary()
    if with_pages:
        # After what leads from images and objects to their collections.
        _rebuild_rules(publisher)
        for _ in _map(publisher.try_updating_image, Journal(publisher.records).identifiers()):
            pass
    return counts


def _write_statements(publisher: Publisher, identifier: str) -> None:
    """Write all that the newest record says into the catalogue, which may be another one."""
    if record := publisher.journal.latest(identifier):
        publisher.catalogue.settle(None, record)


def _rebuild_rules(publisher: Publisher) -> None:
    """Make the table of collections' rules again, in one write, and join images to collections."""
    publisher.rules.rebuild()

    def join(identifier: str) -> None:
        record, memberships = publisher.journal.latest(identifier), publisher.memberships
        if record:
            memberships.prepare(None, record)
            memberships.finish(None, record)

    def try_joining(identifier: str) -> None:
        publisher.omissions.attempt(identifier, lambda: join(identifier), None)

    for _ in _map(try_joining, publisher.journal.identifiers()):
        pass


def _map(function: Callable[[str], T], identifiers: Iterable[str]) -> Iterator[T]:
    with ThreadPoolExecutor(THREADS, thread_name_prefix="objects") as threads:
        for batch in split_batches(identifiers, BATCH):
            yield from threads.map(function, batch)
