"""What a door is to the agents: how it is started, and how a photograph is sent to it."""

import http.client
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from rigs.rig import Rig
from vitrine.bootstrap.local_service import REPOSITORY

SIDE = 500
QUALITY = 85
"""Quality of a thumbnail's JPEG."""
PEERS = REPOSITORY / ".build" / "peers"
"""Folder in which rivals are installed."""
Send = Callable[[http.client.HTTPSConnection, bytes], tuple[int, bytes]]
"""Sends a photograph, and returns the status and the body of the answer."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """A door by its name."""

    name: str
    start: Callable[[], AbstractContextManager[Rig]]
    send: Send
    sides: tuple[int, ...] = (SIDE,)
    """Sides that the first thumbnail may have, the longer one, in pixels."""


def send_request(
    connection: http.client.HTTPSConnection,
    method: str,
    address: str,
    body: bytes | None,
    headers: dict[str, str],
) -> tuple[int, bytes]:
    """Send a request, and return the status and the body of the answer."""
    connection.request(method, address, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


def post_photograph(connection: http.client.HTTPSConnection, photo: bytes) -> tuple[int, bytes]:
    """Send a photograph as a body, as most doors take it."""
    return send_request(connection, "POST", "/", photo, {"Content-Type": "image/jpeg"})
