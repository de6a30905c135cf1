"""The API for programs: a request of the HTTP API -> its answer."""

from typing import Any

from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.api.application import answer
from vitrine.bootstrap.api import api_services


@lambda_step("answer_request")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; a defect raises, which the gateway answers by 500."""
    return response_event(answer(api_services(), request_of(event)))
