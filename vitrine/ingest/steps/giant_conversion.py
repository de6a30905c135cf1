"""RequestConversion and ReadConversion: before and after the task for too large a master.

A Fargate task returns nothing to Step Functions but its exit code. So the request and the outcome
are objects in the bucket of records: the step before the task writes the request, the task writes
the outcome, and the step after it reads that or reports that it is missing.
"""

import json
from collections.abc import Mapping
from typing import Any

from vitrine.errors import (
    ConversionLost,
    MasterRejected,
    ObjectMissing,
    Rejection,
    SupersededMaster,
)
from vitrine.ingest.messages import IngestMaster, MasterConverted
from vitrine.ingest.services import IngestServices
from vitrine.ingest.steps.giant_slots import CONTENT_TYPE, GiantSlots
from vitrine.store.layout import conversion_key

REQUEST, OUTCOME = "request", "outcome"


def request_conversion(services: IngestServices, request: IngestMaster) -> str:
    """Take a slot for giants, store the request for the task, and return the conversion's name.

    Raises ConvertersBusy, TransientError.
    """
    _giant_slots(services).take(request)
    write_note(services, conversion_key(request.execution, REQUEST), request.as_json())
    return request.execution


def read_conversion(
    services: IngestServices, request: IngestMaster, error: Mapping[str, str] | None
) -> MasterConverted:
    """Free the slot and return the task's result.

    `error` is what Step Functions caught: `Error` and `Cause`. Raises MasterRejected and
    SupersededMaster as the task did, ConversionLost, TransientError.
    """
    _giant_slots(services).release(request)
    if error is not None:
        raise ConversionLost(describe_task_error(error))
    try:
        body, _ = services.records.get(conversion_key(request.execution, OUTCOME))
    except ObjectMissing as missing:
        raise ConversionLost("The task ended without an error, but left no outcome.") from missing
    match json.loads(body):
        case {"rejected": rejection}:
            raise MasterRejected(Rejection(**rejection))
        case {"superseded": text}:
            raise SupersededMaster(text)
        case {"converted": converted}:
            return MasterConverted.from_json(converted)
    raise ConversionLost(f"The task left an outcome that cannot be understood: {body[:100]!r}")


def describe_task_error(error: Mapping[str, str]) -> str:
    """Return a sentence for what Step Functions caught.

    For a failed task, `Cause` describes it as ECS does (DescribeTasks), with a reason and each
    container's exit code.
    """
    cause = error.get("Cause", "")
    try:
        task = json.loads(cause)
        containers = task.get("Containers") or [{}]
    except (ValueError, AttributeError):
        return f"{error.get('Error', '')}: {cause}"
    reasons = (task.get("StopCode"), task.get("StoppedReason"), containers[0].get("Reason"))
    summary = "; ".join(str(reason) for reason in reasons if reason)
    return f"The task ended with exit code {containers[0].get('ExitCode')}: {summary}"


def _giant_slots(services: IngestServices) -> GiantSlots:
    limits = services.limits
    return GiantSlots(services.records, limits.giants_at_once, limits.giant_seconds)


def write_note(services: IngestServices, key: str, value: Mapping[str, Any]) -> None:
    """Store a request or an outcome in the bucket of records."""
    body = json.dumps(value, ensure_ascii=False).encode()
    services.records.put(key, body, content_type=CONTENT_TYPE)
