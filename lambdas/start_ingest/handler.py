"""The starter: S3 events from the queue become executions of the state machine."""

import json
from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import each_record
from vitrine.bootstrap import ingest_services
from vitrine.ingest.start import start_ingest


@lambda_step("start_ingest")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Partial batch response: what could not be started comes again."""
    services = ingest_services()
    return each_record(event, lambda body: start_ingest(services, _master_key(body)))


def _master_key(body: str) -> str:
    """EventBridge carries the key as it is, not URL-encoded."""
    return str(json.loads(body)["detail"]["object"]["key"])
