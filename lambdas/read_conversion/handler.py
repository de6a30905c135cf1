"""ReadConversion: read the outcome of a giant's conversion. IngestMaster -> MasterConverted.

`error`, if the task failed for good, is what Step Functions caught: `Error` and `Cause`.
"""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.steps.giant_conversion import read_conversion


@lambda_step("read_conversion")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Read the outcome; raises MasterRejected, SupersededMaster, ConversionLost, TransientError."""
    request = IngestMaster.from_json(event)
    return read_conversion(ingest_services(), request, event.get("error")).as_json()
