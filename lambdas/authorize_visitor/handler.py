"""Access: a request of a browser or viewer -> a page, a token, or what a probe says."""

from typing import Any

from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.authorization.application import answer
from vitrine.bootstrap.authorization import admit_services


@lambda_step("authorize_visitor")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; a defect raises, which Lambda answers by 502."""
    return response_event(answer(admit_services(), request_of(event)))
