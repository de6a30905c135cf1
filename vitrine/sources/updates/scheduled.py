"""The collections that an environment updates by itself, in its bucket of records."""

import json
from collections.abc import Mapping
from dataclasses import asdict

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.sources.harvest.harvest_log import LOG, LoggedHarvest, parse_log
from vitrine.sources.updates.portable_rules import portable_rules
from vitrine.sources.updates.schedule import WAITS, Schedule, UpdateRun
from vitrine.store.clock import now
from vitrine.store.layout import SCHEDULES, harvest_key

RULES, RUN = "collection.toml", "run.json"
_JSON, _TOML = "application/json", "application/toml"


def read_scheduled(records: ObjectStore) -> dict[str, Schedule]:
    """Return the schedules by the identifiers of their collections."""
    return _read_scheduled(records)[0]


def change_schedule(
    records: ObjectStore, identifier: str, schedule: Schedule | None, rules: str = ""
) -> bool:
    """Put a collection with its rules on the schedule, or take it off; False if it was not there.

    `rules` is the text of a file that can be read; what it says of a machine is left out.
    Raises PreconditionFailed if somebody else changed the schedules at this moment.
    """
    schedules, etag = _read_scheduled(records)
    was_there = schedules.pop(identifier, None) is not None
    if schedule:
        note_newest_run(records, identifier, UpdateRun(begun=now(), said=WAITS))
        key = harvest_key(identifier, RULES)
        records.put(key, portable_rules(rules).encode(), content_type=_TOML)
        schedules[identifier] = schedule
    text = json.dumps([asdict(one) for one in schedules.values()], indent=2)
    records.put(SCHEDULES, text.encode(), content_type=_JSON, if_etag=etag)
    return was_there


def read_newest_runs(
    records: ObjectStore, schedules: Mapping[str, Schedule]
) -> dict[str, UpdateRun]:
    """Return the newest updates by the identifiers of their collections."""
    runs = {}
    for identifier in schedules:
        try:
            body, _ = records.get(harvest_key(identifier, RUN))
            runs[identifier] = UpdateRun(**json.loads(body))
        except (ObjectMissing, TypeError, ValueError):
            continue  # as one that has never run: it is due, and its note is written again
    return runs


def note_newest_run(records: ObjectStore, identifier: str, run: UpdateRun) -> None:
    """Write down an update."""
    body = json.dumps(asdict(run)).encode()
    records.put(harvest_key(identifier, RUN), body, content_type=_JSON)


def read_reports(records: ObjectStore, identifier: str) -> list[LoggedHarvest]:
    """Return what each harvest of a collection brought, the oldest first."""
    try:
        log, _ = records.get(harvest_key(identifier, LOG))
    except ObjectMissing:
        return []
    return parse_log(log.decode())


def _read_scheduled(records: ObjectStore) -> tuple[dict[str, Schedule], str]:
    """Return the schedules, and the ETag of their object, "" without one."""
    try:
        body, info = records.get(SCHEDULES)
    except ObjectMissing:
        return {}, ""
    return {one["rules"]: Schedule(**one) for one in json.loads(body)}, info.etag
