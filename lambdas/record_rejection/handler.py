"""RecordRejection: keep why a master was rejected. The failed state's input with `error`.

An access master that was already made from it, and that no identifier shows, is tagged.
"""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.outcomes import outcome_services
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.publish.superseded import tag_superseded
from vitrine.ingest.record_outcome import record_rejection, rejection_in


@lambda_step("record_rejection")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Record the rejection; `error` is what Step Functions caught: `Error` and `Cause`."""
    request = IngestMaster.from_json(event)
    services = outcome_services()
    record_rejection(services, request, rejection_in(event["error"]))
    if "access_master_key" in event:
        tag_superseded(services, request.identifier, event["access_master_key"])
    return request.as_json()
