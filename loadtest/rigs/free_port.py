"""Ports for servers that a measurement starts."""

import socket
from contextlib import ExitStack

from vitrine.errors import TransientError


def free_ports(count: int) -> list[int]:
    """Return `count` different ports of 127.0.0.1 that no process listens on.

    Raises TransientError when no port is free."""
    try:
        with ExitStack() as stack:
            probes = [stack.enter_context(socket.socket()) for _ in range(count)]
            for probe in probes:
                probe.bind(("127.0.0.1", 0))
            return [int(probe.getsockname()[1]) for probe in probes]
    except OSError as error:
        raise TransientError(
            f"this machine has no free port on 127.0.0.1 ({error.strerror}): end programs that "
            "hold connections, or wait a minute until closed ones are given back"
        ) from None


def free_port() -> int:
    """Return one free port."""
    return free_ports(1)[0]
