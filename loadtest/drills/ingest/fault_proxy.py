"""A proxy in front of the emulator whose answers go wrong; run with `python -m`.

Below every SDK and outside every process of the service. Requests pass unchanged, signatures
included. Under `/.drill/` the drill sets the share of faults and reads what was counted.
"""

import argparse
import asyncio
import signal
import socket
import struct
from collections.abc import AsyncIterator

from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector, web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from loadtest.drills.ingest.service_faults import (
    CUTS,
    DONE_FIRST,
    REFUSALS,
    Dice,
    ServiceFault,
    service_of,
)

_HOP_BY_HOP = ("Connection", "Keep-Alive", "Transfer-Encoding", "Expect", "Content-Length")
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of no time: closing sends RST instead of FIN."""
_MAX_BODY = 1 << 30


class FaultyProxy:
    """The application; it holds whole bodies, for the masters of a drill are small."""

    def __init__(self, upstream: str, dice: Dice) -> None:
        self._upstream = upstream
        self._dice = dice

    def application(self) -> web.Application:
        """Control and everything else."""
        application = web.Application(client_max_size=_MAX_BODY)
        application.cleanup_ctx.append(self._session_context)
        application.add_routes(
            [
                web.put("/.drill/percent", self._set_percent),
                web.put("/.drill/outage/{service}", self._set_outage),
                web.get("/.drill/counts", self._answer_counts),
                web.route("*", "/{path:.*}", self._pass_on),
            ]
        )
        return application

    async def _session_context(self, application: web.Application) -> AsyncIterator[None]:
        connector = TCPConnector(limit=0)
        timeout = ClientTimeout(total=None)
        self._session = ClientSession(connector=connector, timeout=timeout, auto_decompress=False)
        yield
        await self._session.close()

    async def _set_percent(self, request: web.Request) -> web.Response:
        self._dice.percent = float(await request.text())
        return web.Response(status=204)

    async def _set_outage(self, request: web.Request) -> web.Response:
        self._dice.outage(request.match_info["service"], float(await request.text()))
        return web.Response(status=204)

    async def _answer_counts(self, request: web.Request) -> web.Response:
        return web.json_response({"calls": self._dice.calls, "faults": self._dice.faults})

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        service = service_of(request.headers.get("Authorization", ""))
        try:
            body = await request.read()
        except ConnectionError:  # the caller was killed
            return _cut_connection(request)
        kind = self._dice.roll(service)
        answer = None
        if kind is None or kind in DONE_FIRST:
            try:
                answer = await self._ask_upstream(request, body)
            except (ClientError, OSError):  # the emulator is dead, or dies just now
                return _cut_connection(request)
        if kind in CUTS:
            return _cut_connection(request)
        if kind is not None:
            return _refuse_request(request, service, kind)
        assert answer is not None
        return answer

    async def _ask_upstream(self, request: web.Request, body: bytes) -> web.Response:
        async with self._session.request(
            request.method,
            URL(self._upstream + request.raw_path, encoded=True),
            headers=_passing_headers(request.headers),
            data=body or None,
            allow_redirects=False,
        ) as answer:
            content = await answer.read()
            headers = _passing_headers(answer.headers)
            if request.method == "HEAD" and "Content-Length" in answer.headers:
                headers["Content-Length"] = answer.headers["Content-Length"]
            return web.Response(status=answer.status, headers=headers, body=content)


def _passing_headers(headers: CIMultiDictProxy[str]) -> CIMultiDict[str]:
    kept = CIMultiDict(headers)
    for name in _HOP_BY_HOP:
        kept.popall(name, None)
    return kept


def _refuse_request(request: web.Request, service: str, kind: ServiceFault) -> web.Response:
    refusal = REFUSALS[service][kind]
    body = b"" if request.method == "HEAD" else refusal.body
    headers = {"Content-Type": refusal.content_type}
    return web.Response(status=refusal.status, headers=headers, body=body)


def _cut_connection(request: web.Request) -> web.Response:
    """Reset the connection; what is returned reaches nobody."""
    transport = request.transport
    if transport is not None:
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        transport.abort()
    return web.Response(status=502)


async def serve_proxy(port: int, upstream: str, seed: int) -> None:
    """Serve on 127.0.0.1 until SIGTERM; prints the port once it answers."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    application = FaultyProxy(upstream, Dice(seed=seed)).application()
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=2048).start()
    print(port, flush=True)
    await stop.wait()
    await runner.cleanup()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m loadtest.drills.ingest.fault_proxy")
    parser.add_argument("port", type=int)
    parser.add_argument("upstream", help="where the emulator is, no trailing slash")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    asyncio.run(serve_proxy(arguments.port, arguments.upstream, arguments.seed))


if __name__ == "__main__":
    main()
