"""The photo door: a request of the HTTP API -> thumbnails, metadata and the image's address."""

from typing import Any

from aws_lambda_powertools import Logger

from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.photos import function_services
from vitrine.photos.application import answer

STEP = "answer_photo"
FAULT = 500
"""From this status on it is a fault of ours, which an alarm counts in the log."""


@lambda_step(STEP)
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; a defect raises, which the gateway answers by 500."""
    response = answer(function_services(), request_of(event))
    if response.status >= FAULT:
        Logger(service=STEP).error("photograph not taken", extra={"status": response.status})
    return response_event(response)
