"""Requests of HTTP: what is no message is refused before any tool, and nothing has a session."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.mcp.endpoint import MAX_BODY_BYTES, McpEndpoint

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[McpEndpoint]:
    with asyncio.Runner() as runner:
        yield McpEndpoint(runner, "http://127.0.0.1:9")


def _post(endpoint: McpEndpoint, body: bytes, **headers: str) -> ApiResponse:
    named = HEADERS | {name.replace("_", "-"): text for name, text in headers.items()}
    return endpoint.answer(
        ApiRequest(method="POST", path="/mcp", headers=named, body=body, caller="")
    )


def _call(endpoint: McpEndpoint, method: str, **params: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    answer = _post(endpoint, json.dumps(body).encode(), mcp_protocol_version="2025-06-18")
    assert answer.status == 200
    assert "mcp-session-id" not in answer.headers
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["cache-control"] == "no-store"
    return json.loads(answer.body)["result"]


def test_the_tools_only_read_and_every_parameter_has_a_limit(endpoint: McpEndpoint) -> None:
    tools = {tool["name"]: tool for tool in _call(endpoint, "tools/list")["tools"]}
    assert set(tools) == {"search", "get_object", "get_image_region", "get_page_text"}
    for tool in tools.values():
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["annotations"]["destructiveHint"] is False
        assert tool["description"]
        for name, said in tool["inputSchema"]["properties"].items():
            assert said["description"], name
            assert ("maxLength" if said["type"] == "string" else "maximum") in said, name


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("search", {"query": "x" * 201}, "at most 200 characters"),
        ("search", {"query": ""}, "at least 1 character"),
        ("search", {"query": "a", "most": 21}, "less than or equal to 20"),
        ("get_object", {}, "Field required"),
        ("get_image_region", {"image": "a", "longest_side": 1025}, "less than or equal to 1024"),
        ("get_image_region", {"image": "a", "region": "pct:1,2,3"}, "the region must be"),
        ("get_image_region", {"image": "a", "region": "../../x"}, "the region must be"),
        ("get_page_text", {"identifier": "a", "page": 0}, "greater than or equal to 1"),
        ("get_page_text", {"identifier": "a", "page": 1}, "does not answer"),
        ("delete", {}, "Unknown tool"),
    ],
)
def test_what_a_tool_cannot_use_is_an_error_that_says_why(
    endpoint: McpEndpoint, tool: str, arguments: dict[str, Any], words: str
) -> None:
    result = _call(endpoint, "tools/call", name=tool, arguments=arguments)
    assert result["isError"] is True
    assert words in result["content"][0]["text"]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"{", {}, 400),
        (b"[]", {}, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"content_type": "text/plain"}, 400),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"accept": "text/html"}, 406),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"mcp_protocol_version": "1999"}, 400),
        (b" " * (MAX_BODY_BYTES + 1), {}, 413),
    ],
)
def test_what_is_no_message_is_refused(
    endpoint: McpEndpoint, body: bytes, headers: dict[str, str], status: int
) -> None:
    assert _post(endpoint, body, **headers).status == status
