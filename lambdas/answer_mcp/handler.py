"""MCP: a message of a program -> what a tool says, from the addresses that anybody may read."""

from typing import Any

from vitrine.adapters.aws.http_api import request_of, response_event
from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.mcp import mcp_endpoint


@lambda_step("answer_mcp")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request; a defect raises, which the gateway answers by 500."""
    return response_event(mcp_endpoint().answer(request_of(event)))
