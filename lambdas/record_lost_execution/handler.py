"""RecordLostExecution: record executions that ended without recording their failure.

Step Functions sends an event when one timed out, was aborted, or failed in a state without Catch.
"""

import json
from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import process_records
from vitrine.bootstrap.outcomes import outcome_services
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record_outcome import record_lost_execution


@lambda_step("record_lost_execution")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Record a batch; the response names what could not be recorded, which comes again."""
    services = outcome_services()

    def record(body: str) -> None:
        detail = json.loads(body)["detail"]
        request = IngestMaster.from_json(json.loads(detail["input"]))
        cause = {"Error": detail.get("error") or "", "Cause": detail.get("cause") or ""}
        record_lost_execution(services, request, detail["status"], cause)

    return process_records(event, record)
