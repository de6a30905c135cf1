"""The gateway as an RSGI application (https://github.com/emmett-framework/granian, RSGI 1.6)."""

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from vitrine.deliver.exchange import Request, Response
from vitrine.deliver.service import GatewayService

RAW_PATH = "x-request-uri"
"""Where nginx puts the address as it was sent: the server has decoded its own copy already."""


class Application:
    """Translates between the server and the gateway. `build` runs in the worker process."""

    def __init__(self, build: Callable[[], GatewayService]) -> None:
        self._build = build
        self._service: GatewayService

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._service = self._build()

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.run_until_complete(self._service.close())

    async def __rsgi__(self, scope: Any, protocol: Any) -> None:
        headers = dict(scope.headers.items())
        path = headers.get(RAW_PATH) or quote(scope.path)
        request = Request(method=scope.method, path=path, headers=headers)
        send(protocol, scope.method, await self._service.gateway.respond(request))


def send(protocol: Any, method: str, response: Response) -> None:
    """In one write: headers and body apart cost a delayed acknowledgement."""
    headers = list(response.headers)
    if method == "HEAD":
        headers.append(("content-length", str(len(response.body))))
        protocol.response_empty(response.status, headers)
    elif response.body:
        protocol.response_bytes(response.status, headers, response.body)
    else:
        protocol.response_empty(response.status, headers)
