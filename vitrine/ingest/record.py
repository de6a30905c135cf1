"""Record what became of a master: running, published, rejected or failed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from vitrine.errors import ObjectMissing, Rejection
from vitrine.events import ImageRejected
from vitrine.ingest.failure_reasons import failure_reason
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.outcome import Outcome, State
from vitrine.ingest.services import IngestServices
from vitrine.store.clock import now

VALUE_CHARACTERS = 200


def record_outcome(
    services: IngestServices,
    request: IngestMaster,
    state: State,
    reason: Rejection | None = None,
    notes: Sequence[str] = (),
) -> None:
    """Keep the outcome of this version of the master; `notes` are sentences for the curator."""
    reason = reason or Rejection("", "")
    services.outcomes.record(
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
            formers=tuple(request.formers),
        )
    )


def record_rejection(services: IngestServices, request: IngestMaster, reason: Rejection) -> None:
    """Tell the curator why, and others that it happened; nothing when a newer version is there."""
    if _superseded(services, request):
        return
    record_outcome(services, request, "rejected", reason)
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


def record_failure(
    services: IngestServices, request: IngestMaster, error: Mapping[str, str]
) -> None:
    """Keep the execution's input in the failures queue, where it can be redriven, then say so."""
    reason = failure_reason(error.get("Error", ""), _message(error)[:VALUE_CHARACTERS])
    message = {
        "request": request.as_json(),
        "execution": request.execution,
        **asdict(reason),
    }
    services.failures.send(json.dumps(message, ensure_ascii=False))
    if not _superseded(services, request):
        record_outcome(services, request, "failed", reason)


def record_lost_execution(
    services: IngestServices, request: IngestMaster, status: str, error: Mapping[str, str]
) -> None:
    """Make a failure of an execution that ended while its outcome still says `running`.

    `status` is how Step Functions says it ended: FAILED, TIMED_OUT or ABORTED.
    """
    outcome = services.outcomes.get(request.master_key)
    if outcome and (outcome.state, outcome.execution) == ("running", request.execution):
        name = error.get("Error") or f"Execution.{status}"
        record_failure(services, request, dict(error) | {"Error": name})


def rejection_in(error: Mapping[str, str]) -> Rejection:
    """The rejection inside what Step Functions caught: `Error` and `Cause`.

    `Cause` is the Lambda's error as JSON, whose `errorMessage` is the text of MasterRejected.
    """
    message = _message(error)
    try:
        return Rejection(**json.loads(message))
    except (ValueError, TypeError):
        return Rejection("unknown", "The master was refused.", message[:200])


def _message(error: Mapping[str, str]) -> str:
    cause = error.get("Cause", "")
    try:
        return str(json.loads(cause)["errorMessage"])
    except (ValueError, TypeError, KeyError):
        return cause


def _superseded(services: IngestServices, request: IngestMaster) -> bool:
    try:
        return services.masters.head(request.master_key).version != request.master_version
    except ObjectMissing:
        return False
