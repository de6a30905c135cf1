"""The starter: S3 events from the queue become executions of the state machine."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import process_records
from vitrine.bootstrap.starter import starter_services
from vitrine.ingest.start.upload_hints import follow_hint

AT_ONCE = 10
"""Messages that are followed at once: all of a batch, since each is only requests to wait for."""


@lambda_step("start_ingest")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Start a batch; the response names what could not be started, which comes again."""
    services = starter_services()
    return process_records(event, lambda body: follow_hint(services, body), AT_ONCE)
