"""The object server: path-style GET and HEAD of S3 over a directory, with latency and faults.

`/{bucket}/{key}` are the files below the directory, whatever the bucket; to replace an object,
rename a file over it. Under `/.control/` the tests and measurements set faults and latency and
read the ledger. Source of statuses and error codes: Amazon S3 API Reference, GetObject and
Error Responses.
"""

import asyncio
import hashlib
import os
import re
from dataclasses import asdict, dataclass
from email.utils import formatdate
from pathlib import Path

from aiohttp import web

from rigs.object_server.read_ledger import Read
from rigs.object_server.response_bodies import is_cut, send_body
from rigs.object_server.response_faults import Fault, FaultSchedule, ResponseFault

_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@dataclass(frozen=True, kw_only=True)
class _Opened:
    """One version of one object, open: a file renamed over it changes nothing for its reader."""

    descriptor: int
    size: int
    etag: str
    modified: float

    def headers(self) -> dict[str, str]:
        return {
            "ETag": f'"{self.etag}"',
            "Accept-Ranges": "bytes",
            "Last-Modified": formatdate(self.modified, usegmt=True),
            "Content-Type": "application/octet-stream",
        }


class ObjectServer:
    """The application and what it remembers."""

    def __init__(self, directory: Path, latency_seconds: float) -> None:
        self._directory = directory.resolve()
        self._latency = latency_seconds
        self._schedule = FaultSchedule()
        self._reads: list[Read] = []

    def application(self) -> web.Application:
        """Routes of S3 and of the control."""
        application = web.Application()
        application.add_routes(
            [
                web.put("/.control/faults", self._set_faults),
                web.put("/.control/latency", self._set_latency),
                web.get("/.control/reads", self._list_reads),
                web.delete("/.control/reads", self._forget_reads),
                web.get("/{bucket}/{key:.+}", self._answer_object),
            ]
        )
        return application

    async def _set_faults(self, request: web.Request) -> web.Response:
        try:
            self._schedule.replace([Fault.from_document(item) for item in await request.json()])
        except (KeyError, TypeError, ValueError) as error:
            raise web.HTTPBadRequest(text=repr(error)) from error
        return web.Response(status=204)

    async def _set_latency(self, request: web.Request) -> web.Response:
        self._latency = float(await request.text())
        return web.Response(status=204)

    async def _list_reads(self, request: web.Request) -> web.Response:
        return web.json_response([asdict(read) for read in self._reads])

    async def _forget_reads(self, request: web.Request) -> web.Response:
        self._reads.clear()
        return web.Response(status=204)

    async def _answer_object(self, request: web.Request) -> web.StreamResponse:
        key = request.match_info["key"]
        await asyncio.sleep(self._latency)
        fault = self._next_fault(request, key)
        opened = self._open_object(key)
        if opened is None:
            self._reads.append(Read(method=request.method, key=key, status=404))
            return _answer_error(request, 404, "NoSuchKey")
        try:
            return await self._answer_read(request, key, opened, fault)
        except ConnectionResetError:
            return web.Response(status=408)  # to nobody: the client has gone
        finally:
            os.close(opened.descriptor)

    def _next_fault(self, request: web.Request, key: str) -> Fault | None:
        match = _RANGE.fullmatch(request.headers.get("Range", ""))
        start = int(match[1]) if match else 0
        return self._schedule.next(key, start) if request.method == "GET" else None

    def _open_object(self, key: str) -> _Opened | None:
        path = (self._directory / key).resolve()
        # A link inside the directory may lead out of it, a key may not.
        if ".." in Path(key).parts or not path.is_file():
            return None
        descriptor = os.open(path, os.O_RDONLY)
        status = os.fstat(descriptor)
        version = f"{status.st_ino}-{status.st_mtime_ns}-{status.st_size}"
        # As of an object of several parts: it is no checksum of the bytes.
        etag = f"{hashlib.md5(version.encode(), usedforsecurity=False).hexdigest()}-1"
        return _Opened(
            descriptor=descriptor, size=status.st_size, etag=etag, modified=status.st_mtime
        )

    async def _answer_read(
        self, request: web.Request, key: str, opened: _Opened, fault: Fault | None
    ) -> web.StreamResponse:
        span = _parse_range(request.headers.get("Range", ""), opened.size)
        status, code = _choose_status(request, opened, span, fault)
        start, length = span or (0, 0)
        sent = 0 if code or request.method == "HEAD" else length
        self._reads.append(
            Read(
                method=request.method,
                key=key,
                etag=opened.etag,
                start=start,
                length=length,
                status=status,
                sent=sent // 2 if is_cut(fault) else sent,
                fault=fault.kind.value if fault else "",
            )
        )
        if fault and fault.kind is ResponseFault.SILENT:
            await asyncio.sleep(fault.seconds)
        if code:
            return _answer_error(request, status, code)
        headers = opened.headers()
        if status == 206:
            headers["Content-Range"] = f"bytes {start}-{start + length - 1}/{opened.size}"
        response = web.StreamResponse(status=status, headers=headers)
        response.content_length = length
        await response.prepare(request)
        if request.method == "GET":
            await send_body(request, response, os.pread(opened.descriptor, length, start), fault)
        return response


def _parse_range(header: str, size: int) -> tuple[int, int] | None:
    """Return offset and length of a Range header; None if it lies outside the object."""
    match = _RANGE.fullmatch(header)
    if match is None:
        return 0, size
    start = int(match[1])
    end = min(int(match[2]) + 1 if match[2] else size, size)
    return (start, end - start) if start < end else None


def _choose_status(
    request: web.Request, opened: _Opened, span: tuple[int, int] | None, fault: Fault | None
) -> tuple[int, str]:
    """Status of the answer, and S3's error code where it is an error."""
    if fault and fault.kind is ResponseFault.INTERNAL_ERROR:
        return 500, "InternalError"
    if fault and fault.kind is ResponseFault.SLOW_DOWN:
        return 503, "SlowDown"
    if request.headers.get("If-Match", "*").strip('"') not in ("*", opened.etag):
        return 412, "PreconditionFailed"
    if span is None:
        return 416, "InvalidRange"
    return (206 if "Range" in request.headers else 200), ""


def _answer_error(request: web.Request, status: int, code: str) -> web.Response:
    text = f"<Error><Code>{code}</Code><Message>{code}</Message></Error>"
    return web.Response(
        status=status,
        text="" if request.method == "HEAD" else text,
        content_type="application/xml",
    )
