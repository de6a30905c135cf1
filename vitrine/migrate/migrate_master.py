"""MigrateMaster, the one step per image: asked again and again until the ingest has ended.

It starts what is to be started and says how it ended; the pipeline's own state machine does the
work. So a repeated, killed or overlapping migration converges on the same outcome.
"""

from dataclasses import dataclass, replace

from vitrine.errors import IngestUnfinished, MasterRejected, ObjectMissing, Rejection
from vitrine.identify.identifier import normalise_identifier
from vitrine.ingest.rejections import identifier_taken
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import master_identifier, start_version
from vitrine.migrate.image_metadata import keep_metadata
from vitrine.migrate.messages import MigrateMaster
from vitrine.migrate.planned import Result
from vitrine.migrate.row import source_missing
from vitrine.ports import ObjectInfo
from vitrine.records import Live, Outcome, Record, Redirect

NOT_LIVE = Rejection(
    "not-live",
    "The master was published, and its identifier does not answer: it was withdrawn by hand, or "
    "the table has lost it, which `vitrine identifiers rebuild` mends.",
)


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What the store and the tables say of a master that may be migrated."""

    info: ObjectInfo
    identifier: str
    outcome: Outcome | None
    record: Record | None


def migrate_master(services: IngestServices, request: MigrateMaster) -> Result:
    """Start what is to be started; how the ingest of this master ended.

    Raises IngestUnfinished while it has not: ask again. Raises TransientError.
    """
    seen = _look(services, request)
    if isinstance(seen, Result):
        return seen
    keep_metadata(services.records, seen.identifier, seen.info.key, request.metadata)
    result = _end(request, seen)
    if result is None:
        redrives = _redrives(seen.info, seen.outcome)
        start_version(services, seen.info, redrives, seen.identifier)
        raise IngestUnfinished(request.key)
    return result


def ended(services: IngestServices, request: MigrateMaster) -> Result | None:
    """How it ended, None while it has not; changes nothing. Raises TransientError."""
    seen = _look(services, request)
    return seen if isinstance(seen, Result) else _end(request, seen)


def _look(services: IngestServices, request: MigrateMaster) -> _Seen | Result:
    try:
        info = services.masters.head(request.key)
    except ObjectMissing:
        return Result(state="missing", problem=source_missing(request.key))
    outcome = services.outcomes.get(info.key)
    refused = Result(state="rejected", master_bytes=info.size)
    try:
        rule = services.identifier_rule
        identifier = normalise_identifier(
            request.identifier or master_identifier(info, outcome, rule)
        )
    except MasterRejected as error:
        return replace(refused, problem=error.rejection)
    record = services.identifiers.get(identifier)
    problem = _conflict(info, identifier, outcome, record)
    if problem:
        return replace(refused, identifier=identifier, problem=problem)
    return _Seen(info=info, identifier=identifier, outcome=outcome, record=record)


def _conflict(
    info: ObjectInfo, identifier: str, outcome: Outcome | None, record: Record | None
) -> Rejection | None:
    """Why this master cannot have this identifier, before its metadata replace another's."""
    if isinstance(record, Live) and record.master_key != info.key:
        return identifier_taken(identifier, record.master_key).rejection
    if outcome is None or (outcome.state, outcome.master_version) != ("published", info.version):
        return None
    if outcome.identifier == identifier:
        return None
    return Rejection(
        "published-as-another",
        f'The master is published as "{outcome.identifier}"; rename that image, or leave the '
        "identifier away.",
        identifier,
    )


def _end(request: MigrateMaster, seen: _Seen) -> Result | None:
    """The end of what is asked for, of this version; None when it is due, or once more."""
    outcome = seen.outcome
    if outcome is None or outcome.master_version != seen.info.version:
        return None
    if outcome.state == "running" or outcome.ended_in_absence:
        return None
    if outcome.state != "published":
        if outcome.identifier != seen.identifier:
            return None
        if outcome.state == "failed" and outcome.changed_at < request.tried_at:
            return None
    return _result(request, seen.info, outcome, seen.record)


def _redrives(info: ObjectInfo, outcome: Outcome | None) -> str:
    """The execution whose end is to be made good, "" where there is none."""
    if outcome is None or outcome.master_version != info.version:
        return ""
    return outcome.execution if outcome.state in ("failed", "rejected") else ""


def _result(
    request: MigrateMaster, info: ObjectInfo, outcome: Outcome, record: Record | None
) -> Result:
    result = Result(state="failed", identifier=outcome.identifier, master_bytes=info.size)
    if outcome.state != "published":
        problem = Rejection(outcome.code, outcome.sentence, outcome.value)
        failed = outcome.state == "failed"
        return replace(result, state="failed" if failed else "rejected", problem=problem)
    if not isinstance(record, Live | Redirect):
        return replace(result, problem=NOT_LIVE)
    unchanged = outcome.changed_at < request.begun_at
    result = replace(result, state="unchanged" if unchanged else "published")
    if isinstance(record, Redirect):  # renamed since: the image goes by its new name
        return result
    return replace(
        result,
        access_master_bytes=record.access_master_bytes,
        pixels=record.width * record.height,
    )
