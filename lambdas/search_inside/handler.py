"""Searches inside objects: a request of a viewer -> what its pages say where."""

from typing import Any

from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.api.search_inside import answer
from vitrine.bootstrap.inside import inside_services


@lambda_step("search_inside")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; a defect raises, which Lambda answers by 502."""
    services = inside_services()
    response = answer(services, request_of(event))
    if services.across.missing:
        count("search_inside", {"segments_left_out": services.across.missing})
    return response_event(response)
