"""RecordFailure: keep the execution's input for a redrive. The failed state's input with `error`.

The result keeps `error`: the state after this one fails with its name.
"""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.outcomes import outcome_services
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record_outcome import record_failure


@lambda_step("record_failure")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Queue the input; its `error` is what Step Functions caught: `Error` and `Cause`."""
    request = IngestMaster.from_json(event)
    record_failure(outcome_services(), request, event["error"])
    return request.as_json() | {"error": event["error"]}
