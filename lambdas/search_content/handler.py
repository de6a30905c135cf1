"""Searches inside objects: a request of a viewer -> what its pages say where."""

from typing import Any

from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.api.content_search import answer
from vitrine.bootstrap.search import content_search_services


@lambda_step("search_content")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; a defect raises, which Lambda answers by 502."""
    services = content_search_services()
    response = answer(services, request_of(event))
    if services.full_text.missing:
        count("search_content", {"segments_left_out": services.full_text.missing})
    return response_event(response)
