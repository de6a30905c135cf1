"""A request of HTTP and its answer, behind any server: `POST /mcp`, without sessions."""

import asyncio
from collections.abc import MutableMapping
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.edge.policies import MCP_PATTERN
from vitrine.mcp.server import build_server
from vitrine.mcp.visitor import Visitor, new_client

MAX_BODY_BYTES = 64 << 10
_HEADERS = {"access-control-allow-origin": "*", "cache-control": "no-store"}
"""Programs in a browser ask too, from any page: without cookies, for what is public."""
_HIDDEN = frozenset({"content-length", "connection", "mcp-session-id"})
"""Headers that the server in front writes, and one that means nothing without sessions."""


class McpEndpoint:
    """The endpoint of the service at `base`, scheme and host.

    It keeps connections to it, and no sessions.
    """

    def __init__(self, runner: asyncio.Runner, base: str) -> None:
        self._runner = runner
        self._base = base
        self._server: MCPServer[None] | None = None

    def answer(self, request: ApiRequest) -> ApiResponse:
        """Answer a POST. A tool that fails is an answer as well; defects raise."""
        return self._runner.run(self._answer(request))

    async def _answer(self, request: ApiRequest) -> ApiResponse:
        if self._server is None:  # connections belong to the loop in which they were opened
            self._server = build_server(Visitor(new_client(), self._base))
        # One for each request: what it keeps ends with it.
        application = self._server.streamable_http_app(
            streamable_http_path=MCP_PATTERN,
            json_response=True,
            stateless_http=True,
            max_request_body_size=MAX_BODY_BYTES,
            # It tells everybody what everybody may know: no page of others gains anything by
            # asking from a visitor's browser.
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        async with application.router.lifespan_context(application):
            return await _exchange(application, request)


async def _exchange(application: Starlette, request: ApiRequest) -> ApiResponse:
    """Return what an ASGI application (version 3.0) answers."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "https",
        "path": MCP_PATTERN,
        "raw_path": MCP_PATTERN.encode(),
        "query_string": b"",
        "headers": [(name.encode(), text.encode()) for name, text in request.headers.items()],
        "client": None,
        "server": None,
    }
    sent: list[MutableMapping[str, Any]] = []
    received = [{"type": "http.request", "body": request.body, "more_body": False}]

    async def receive() -> MutableMapping[str, Any]:
        if received:
            return received.pop()
        await asyncio.Event().wait()  # who asked waits for the answer
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    await application(scope, receive, send)
    start, *parts = sent
    headers = {name.decode(): text.decode() for name, text in start["headers"]}
    kept = {name: text for name, text in headers.items() if name not in _HIDDEN}
    return ApiResponse(
        status=start["status"],
        headers={**kept, **_HEADERS},
        body=b"".join(part.get("body", b"") for part in parts),
    )
