"""The photo door: a request of the HTTP API -> thumbnails, metadata and the image's address."""

from typing import Any

from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.photos import function_services
from vitrine.photos.application import answer


@lambda_step("answer_photo")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; a defect raises, which the gateway answers by 500."""
    return response_event(answer(function_services(), request_of(event)))
