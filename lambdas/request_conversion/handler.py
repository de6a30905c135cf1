"""RequestConversion: a slot and a request for the task that converts a giant. IngestMaster.

The result is the request with `conversion`, under which the task finds it.
"""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.steps.giant_conversion import request_conversion


@lambda_step("request_conversion")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Take a slot and write the request; raises ConvertersBusy, TransientError."""
    request = IngestMaster.from_json(event)
    return request.as_json() | {"conversion": request_conversion(ingest_services(), request)}
