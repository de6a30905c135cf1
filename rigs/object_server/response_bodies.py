"""The body of an answer, or what a fault makes of it."""

import asyncio
import random
import socket
import struct

from aiohttp import web

from rigs.object_server.response_faults import Fault, ResponseFault

FLIPPED_BYTES = 8192
"""Bytes of which one has a bit changed."""
_SHIFT = 7
_PIECES = 10
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of no time: closing sends RST instead of FIN."""


def is_cut(fault: Fault | None) -> bool:
    """Return True if only half of the body is to be sent."""
    return fault is not None and fault.kind in (
        ResponseFault.RESET,
        ResponseFault.SHORT,
        ResponseFault.STALL,
    )


async def send_body(
    request: web.Request, response: web.StreamResponse, body: bytes, fault: Fault | None
) -> None:
    """Send the body as the fault has it."""
    kind = fault.kind if fault else None
    seconds = fault.seconds if fault else 0.0
    if is_cut(fault):
        await response.write(body[: len(body) // 2])
        await _end_connection(request, kind, seconds)
    elif kind is ResponseFault.TRICKLE:
        piece = len(body) // _PIECES + 1
        for start in range(0, len(body), piece):
            await asyncio.sleep(seconds / _PIECES)
            await response.write(body[start : start + piece])
    else:
        await response.write(_change_body(body, kind))


def _change_body(body: bytes, kind: ResponseFault | None) -> bytes:
    """Return another body of the same length, if the fault is one of those that lie."""
    if kind is ResponseFault.ZEROS:
        return bytes(len(body))
    if kind is ResponseFault.SHIFTED:
        return body[_SHIFT:] + body[:_SHIFT]
    if kind is ResponseFault.FLIPPED:
        flipped = bytearray(body)
        for start in range(0, len(body), FLIPPED_BYTES):
            at = random.randrange(start, min(start + FLIPPED_BYTES, len(body)))
            flipped[at] ^= 1 << random.randrange(8)
        return bytes(flipped)
    return body


async def _end_connection(request: web.Request, kind: ResponseFault | None, seconds: float) -> None:
    """End the connection in the middle of the body."""
    transport = request.transport
    if transport is None:
        return
    if kind is ResponseFault.STALL:
        await asyncio.sleep(seconds)
    if kind is ResponseFault.RESET:
        # What was written shall arrive, so that the reset meets the middle of the body.
        await asyncio.sleep(0.01)
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        transport.abort()
    transport.close()
