"""Updates of collections by their environment: what is due is harvested and published, in slices.

A slice ends in time, and what it has fetched is stored however it ends; the next one continues.
"""

import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.errors import PreconditionFailed
from vitrine.events import CollectionUpdated
from vitrine.ports import VersionedStore
from vitrine.slices import Slice
from vitrine.sources.harvest.guarded_http import GuardedHttp, NotHarvested
from vitrine.sources.harvest.harvest_log import LOG, log_harvest, log_published, read_log
from vitrine.sources.harvest.kept_folder import AnotherSource, Harvest
from vitrine.sources.harvest.packed_folder import PACKED, PackedFolder
from vitrine.sources.mapping.mapping_file import MappingFile, MappingUnusable
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.open_mapper import open_mapper
from vitrine.sources.updates.open_source import open_source
from vitrine.sources.updates.publish_objects import publish_objects
from vitrine.sources.updates.schedule import GOES_ON, WAITS, Schedule, UpdateRun, due, may_run
from vitrine.sources.updates.scheduled import (
    RULES,
    note_newest_run,
    read_newest_runs,
    read_scheduled,
)
from vitrine.store.clock import now
from vitrine.store.layout import harvest_key
from vitrine.store.omissions import FAULTS, describe_fault

MAX_RECORDS = 20_000
"""Records of a collection, so that its folder has room on a Lambda's disk, and its objects in its
time."""
COMPLETE, INCOMPLETE, FAILED = 0, 1, 2
"""Exit codes, as `vitrine collection update` has them."""


logger = logging.getLogger(__name__)


class OutOfTime(Exception):
    """The slice has to end; nothing is wrong."""


@dataclass(frozen=True, kw_only=True)
class UpdateServices:
    """What updating collections works with."""

    publisher: Publisher
    open_http: Callable[[bool], GuardedHttp]
    """Given whether the schedule allows servers on private networks."""

    @property
    def records(self) -> VersionedStore:
        """Where schedules, folders and reports are."""
        return self.publisher.records


@dataclass(frozen=True)
class _Run:
    """A part of one update."""

    services: UpdateServices
    schedule: Schedule
    time: Slice
    scratch: Path
    """Folder of the Lambda's own, which no report names."""
    published: dict[str, int] = field(default_factory=dict)
    """Numbers of objects by result."""

    def key(self, name: str) -> str:
        """Return the key of a file of the collection."""
        return harvest_key(self.schedule.rules, name)

    def words(self, error: Exception) -> str:
        """Return what an error says, with paths from the folder on."""
        return str(error).replace(f"{self.scratch}/", "")

    def check_time(self, done: int = 0) -> None:
        """Raise OutOfTime, and NotHarvested for a collection that is too large."""
        if done > MAX_RECORDS:
            raise NotHarvested(
                f"more than {MAX_RECORDS:,} records are too many for a Lambda: update the "
                "collection from a machine, with `vitrine collection update`"
            )
        if not self.time.has_time():
            raise OutOfTime


def update_due(services: UpdateServices, moment: datetime, time: Slice) -> Counter[str]:
    """Update the collections whose time has come, while there is time.

    Returns how many ended how. Raises TransientError: the next slice goes on.
    """
    counts = Counter(updates_ended=0, updates_incomplete=0, updates_failed=0)
    schedules = read_scheduled(services.records)
    runs = read_newest_runs(services.records, schedules)
    for schedule in due(schedules, runs, moment):
        last = runs.get(schedule.rules)
        if may_run(last, moment):
            continue
        if not time.has_time():
            break
        with tempfile.TemporaryDirectory(prefix="vitrine-update-") as scratch:
            run = _update(_Run(services, schedule, time, Path(scratch)), last)
        counts["updates_ended"] += run.exit_code is not None
        counts["updates_incomplete"] += run.exit_code == INCOMPLETE
        counts["updates_failed"] += run.exit_code == FAILED
    return counts


def _update(part: _Run, last: UpdateRun | None) -> UpdateRun:
    """Update one collection; note and report how that ended."""
    records, identifier = part.services.records, part.schedule.rules
    goes_on = last is not None and last.said == GOES_ON
    begun = last.begun if last and goes_on else now()
    note_newest_run(records, identifier, UpdateRun(begun=begun))
    code: int | None = FAILED
    try:
        code, said = _harvest_and_publish(part, last), ""
    except OutOfTime:
        code, said = None, GOES_ON
    except PreconditionFailed:
        said = "Another update of the collection ran at the same time."
    except (NotHarvested, MappingUnusable, OSError) as error:
        said = f"{part.words(error).rstrip('.')}."
    except FAULTS as error:
        # What its source or its rules bring stops no other collection.
        logger.exception('The collection "%s" is not updated', identifier)
        said = describe_fault(error).replace(f"{part.scratch}/", "")
    run = UpdateRun(begun=begun, exit_code=code, said=said)
    note_newest_run(records, identifier, run)
    if code is not None:
        event = CollectionUpdated(
            identifier=identifier,
            begun_at=begun,
            ended_at=now(),
            result=("complete", "incomplete", "failed")[code],
            said=said,
            **{name: part.published.get(name, 0) for name in ("made", "waiting", "refused")},
        )
        part.services.publisher.events.publish(event.name(), event.detail())
    return run


def _harvest_and_publish(part: _Run, last: UpdateRun | None) -> int:
    """Return the exit code. Raises OutOfTime, NotHarvested, MappingUnusable, OSError."""
    records = part.services.records
    rules = part.scratch / RULES
    info = records.download(part.key(RULES), rules)
    is_new = last is None or last.said == WAITS or info.modified > last.begun
    mapping = read_mapping(rules)
    kept = PackedFolder(records, part.key(PACKED), part.key(LOG), mapping.table)
    kept.fetch()
    try:
        harvested = _harvest(part, mapping, kept)
    finally:
        kept.store_again()
    try:
        part.published.update(_publish_changes(part, mapping, harvested, is_new))
        log_published(kept.folder, part.published)
        return COMPLETE if read_log(kept.folder)[-1].is_complete else INCOMPLETE
    finally:
        kept.store_log()


def _harvest(part: _Run, mapping: MappingFile, kept: PackedFolder) -> Harvest:
    """Fetch what changed, and note that; all of a source that is another one since the last time.

    The folder is the Lambda's own copy: what was published of the other source stays until this
    one was fetched.
    """
    source = open_source(mapping, part.services.open_http(part.schedule.private_too))
    try:
        try:
            harvested = source.harvest(on_progress=part.check_time)
        except AnotherSource:
            kept.empty()
            harvested = source.harvest(on_progress=part.check_time)
    except NotHarvested as error:
        log_harvest(mapping.table, now(), part.words(error))
        raise
    log_harvest(mapping.table, now(), harvested)
    return harvested


def _publish_changes(
    part: _Run, mapping: MappingFile, harvested: Harvest, has_new_rules: bool
) -> dict[str, int]:
    """Publish all objects and their collection unless that cannot change anything.

    Returns how many became what.
    """
    *_, before = [None, *read_log(mapping.table)[:-1]]
    is_same = not (harvested.new or harvested.changed or harvested.deleted or has_new_rules)
    if is_same and before and before.published and before.is_complete:
        published = before.published
        return {**published, "made": 0, "unchanged": published["made"] + published["unchanged"]}
    mapper, faults = open_mapper(mapping), 0

    def objects() -> Iterator[MappedObject]:
        nonlocal faults
        for one in mapper.objects():
            if isinstance(one, MappedObject):
                yield one
            else:
                faults += one.is_fault

    target = Objects(part.services.publisher)
    report = publish_objects(target, mapping, objects(), part.check_time, nesting=mapper.nesting)
    return report.counts(faults)
