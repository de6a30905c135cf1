"""Record the outcome of a master: running, published, rejected or failed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from vitrine.errors import ObjectMissing, Rejection
from vitrine.events import ImageRejected
from vitrine.ingest.failure_reasons import failure_reason
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.outcome_services import OutcomeServices
from vitrine.records import Outcome, State
from vitrine.store.clock import now

VALUE_CHARACTERS = 200
"""Longest error text that is kept."""


def record_outcome(
    services: OutcomeServices,
    request: IngestMaster,
    state: State,
    reason: Rejection | None = None,
    notes: Sequence[str] = (),
) -> None:
    """Record the outcome of this version; `notes` are sentences for the curator."""
    reason = reason or Rejection("", "")
    keep_outcome(
        services,
        Outcome(
            master_key=request.master_key,
            master_version=request.master_version,
            master_modified=request.master_modified,
            identifier=request.identifier,
            state=state,
            changed_at=now(),
            code=reason.code,
            sentence=reason.sentence,
            value=reason.value,
            notes=tuple(notes),
            execution=request.execution,
            redrives=request.redrives,
            previous_identifiers=tuple(request.previous_identifiers),
            published_as=request.identifier if state == "published" else request.published_as,
        ),
    )


def keep_outcome(services: OutcomeServices, outcome: Outcome) -> None:
    """Store `outcome`, unless the outcome of a newer version of the master is stored.

    S3's dates are exact to a second: where two versions have the same, the store is asked which one
    is the newest, after the other's outcome was read. Raises TransientError.
    """
    over = ""
    while not services.outcomes.record(outcome, over):
        current = services.outcomes.get(outcome.master_key)
        if current is None or current.master_modified != outcome.master_modified:
            return
        if current.master_version in (outcome.master_version, over):
            return
        if not _is_newest(services, outcome):
            return
        over = current.master_version


def _is_newest(services: OutcomeServices, outcome: Outcome) -> bool:
    try:
        return services.masters.head(outcome.master_key).version == outcome.master_version
    except ObjectMissing:
        return False


def record_rejection(services: OutcomeServices, request: IngestMaster, reason: Rejection) -> None:
    """Publish the event and record why; do nothing if there is a newer version of the master.

    In this order: once the outcome is recorded, a repeated run publishes nothing.
    """
    if _is_superseded(services, request):
        return
    event = ImageRejected(
        identifier=request.identifier,
        master_key=request.master_key,
        master_version=request.master_version,
        code=reason.code,
        sentence=reason.sentence,
        value=reason.value,
        rejected_at=now(),
    )
    services.events.publish(event.name(), event.detail())
    record_outcome(services, request, "rejected", reason)


def record_failure(
    services: OutcomeServices, request: IngestMaster, error: Mapping[str, str]
) -> None:
    """Put the execution's input into the failures queue, from where it can be redriven, and record
    the outcome.
    """
    reason = failure_reason(error.get("Error", ""), _error_message(error)[:VALUE_CHARACTERS])
    message = {
        "request": request.as_json(),
        "execution": request.execution,
        **asdict(reason),
    }
    services.failures.send(json.dumps(message, ensure_ascii=False))
    if not _is_superseded(services, request):
        record_outcome(services, request, "failed", reason)


def record_lost_execution(
    services: OutcomeServices, request: IngestMaster, status: str, error: Mapping[str, str]
) -> None:
    """Record a failure for an execution that ended while its outcome still says `running`.

    `status` is Step Functions': FAILED, TIMED_OUT or ABORTED.
    """
    outcome = services.outcomes.get(request.master_key)
    if outcome and (outcome.state, outcome.execution) == ("running", request.execution):
        name = error.get("Error") or f"Execution.{status}"
        record_failure(services, request, dict(error) | {"Error": name})


def rejection_in(error: Mapping[str, str]) -> Rejection:
    """Return the rejection in an error that Step Functions caught: `Error` and `Cause`.

    `Cause` is the Lambda's error as JSON, whose `errorMessage` is the text of MasterRejected.
    """
    message = _error_message(error)
    try:
        return Rejection(**json.loads(message))
    except (ValueError, TypeError):
        return Rejection("unknown", "The master was rejected.", message[:200])


def _error_message(error: Mapping[str, str]) -> str:
    cause = error.get("Cause", "")
    try:
        return str(json.loads(cause)["errorMessage"])
    except (ValueError, TypeError, KeyError):
        return cause


def _is_superseded(services: OutcomeServices, request: IngestMaster) -> bool:
    try:
        return services.masters.head(request.master_key).version != request.master_version
    except ObjectMissing:
        return False
