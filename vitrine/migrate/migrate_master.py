"""MigrateMaster, the one step per image: called repeatedly until the ingest has ended.

It starts the ingest if need be and returns its result; the pipeline's own state machine does the
work. So a repeated, killed or overlapping migration converges on the same outcome.
"""

from dataclasses import dataclass, replace

from vitrine.errors import IngestUnfinished, MasterRejected, ObjectMissing, Rejection
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.owners import owner_of_master
from vitrine.ingest.publish.identifier_claim import check_owner
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import (
    master_identifier,
    published_identifier,
    start_version,
)
from vitrine.migrate.image_metadata import keep_metadata
from vitrine.migrate.manifest_row import source_missing
from vitrine.migrate.messages import MigrateMaster
from vitrine.migrate.planned_row import RowResult
from vitrine.ports import ObjectInfo
from vitrine.records import Gone, Live, Outcome, Record, Redirect

NOT_LIVE = Rejection(
    "not-live",
    "The master was published, but its identifier does not answer: the table has lost it, which "
    "`vitrine identifiers rebuild` repairs.",
)


@dataclass(frozen=True, kw_only=True)
class _MasterState:
    """What the store and the tables hold about a master that may be migrated."""

    info: ObjectInfo
    identifier: str
    outcome: Outcome | None
    record: Record | None


def migrate_master(services: IngestServices, request: MigrateMaster) -> RowResult:
    """Start the ingest of this master if need be, and return its result once it has ended.

    Raises IngestUnfinished while it has not: call again. Raises TransientError.
    """
    state = _read_state(services, request)
    if isinstance(state, RowResult):
        return state
    keep_metadata(services.records, state.identifier, state.info.key, request.metadata)
    result = _find_end(request, state)
    if result is None:
        redrives = _redriven_execution(state.info, state.outcome)
        start_version(services, state.info, redrives, state.identifier)
        raise IngestUnfinished(request.key)
    return result


def find_result(services: IngestServices, request: MigrateMaster) -> RowResult | None:
    """Return the result, None while the ingest has not ended; change nothing. TransientError."""
    state = _read_state(services, request)
    return state if isinstance(state, RowResult) else _find_end(request, state)


def follow_master(services: IngestServices, request: MigrateMaster) -> RowResult:
    """Return the result of a master that the service ingests since it was uploaded.

    For those who may start nothing themselves: a failure stays one until a new upload, or until
    those who operate the service redrive it. Raises as `migrate_master`.
    """
    result = find_result(services, replace(request, tried_at=""))
    if result is None:
        raise IngestUnfinished(request.key)
    return result


def _read_state(services: IngestServices, request: MigrateMaster) -> _MasterState | RowResult:
    try:
        info = services.masters.head(request.key)
    except ObjectMissing:
        return RowResult(state="missing", problem=source_missing(request.key))
    outcome = services.outcomes.get(info.key)
    rejected = RowResult(state="rejected", master_bytes=info.size)
    try:
        rule = services.identifier_rule
        identifier = normalise_identifier(
            request.identifier or master_identifier(info, outcome, rule)
        )
    except MasterRejected as error:
        return replace(rejected, problem=error.rejection)
    record = services.identifiers.get(identifier)
    owner = owner_of_master(services.records, info.key)
    problem = _find_conflict(info, identifier, outcome, record, owner)
    if problem:
        return replace(rejected, identifier=identifier, problem=problem)
    return _MasterState(info=info, identifier=identifier, outcome=outcome, record=record)


def _find_conflict(
    info: ObjectInfo,
    identifier: str,
    outcome: Outcome | None,
    record: Record | None,
    owner: str,
) -> Rejection | None:
    """Return why this master cannot have this identifier, before its metadata replace another's."""
    try:
        check_owner(identifier, info.key, owner, record)
    except MasterRejected as error:
        return error.rejection
    if outcome is None or (outcome.state, outcome.master_version) != ("published", info.version):
        return None
    if outcome.identifier == identifier:
        return None
    return Rejection(
        "published-as-another",
        f'The master is published as "{outcome.identifier}"; rename that image, or leave the '
        "identifier out.",
        identifier,
    )


def _find_end(request: MigrateMaster, state: _MasterState) -> RowResult | None:
    """Return the result of this version, None if its ingest has to be started or tried again."""
    outcome = state.outcome
    if outcome is None or outcome.master_version != state.info.version:
        return None
    if outcome.state == "running" or outcome.ended_in_absence:
        return None
    if outcome.state != "published":
        if outcome.identifier != state.identifier:
            return None
        if outcome.state == "failed" and outcome.changed_at < request.tried_at:
            return None
    return _build_result(request, state.info, outcome, state.record)


def _redriven_execution(info: ObjectInfo, outcome: Outcome | None) -> str:
    """Return the unsuccessful execution that a new one replaces, "" without one."""
    if outcome is None or outcome.master_version != info.version:
        return ""
    return outcome.execution if outcome.state in ("failed", "rejected") else ""


def _build_result(
    request: MigrateMaster, info: ObjectInfo, outcome: Outcome, record: Record | None
) -> RowResult:
    result = RowResult(state="failed", identifier=outcome.identifier, master_bytes=info.size)
    if isinstance(record, Gone) and outcome.identifier == published_identifier(outcome):
        # What a curator withdrew, or its new upload: nothing that the migration should repair.
        problem = Rejection("withdrawn", f"It stays withdrawn: {record.reason}")
        return replace(result, state="withdrawn", problem=problem)
    if outcome.state != "published":
        problem = Rejection(outcome.code, outcome.sentence, outcome.value)
        failed = outcome.state == "failed"
        return replace(result, state="failed" if failed else "rejected", problem=problem)
    if not isinstance(record, Live | Redirect):
        return replace(result, problem=NOT_LIVE)
    unchanged = outcome.changed_at < request.begun_at
    result = replace(result, state="unchanged" if unchanged else "published")
    if isinstance(record, Redirect):  # renamed since: the image answers under its new name
        return result
    return replace(
        result,
        access_master_bytes=record.access_master_bytes,
        pixels=record.width * record.height,
    )
