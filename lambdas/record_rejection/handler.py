"""RecordRejection: keep why a master was refused. The failed state's input with `error`."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap import ingest_services
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record import record_rejection, rejection_in


@lambda_step("record_rejection")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """`error` is what Step Functions caught: `Error` and `Cause`."""
    request = IngestMaster.from_json(event)
    record_rejection(ingest_services(), request, rejection_in(event["error"]))
    return request.as_json()
