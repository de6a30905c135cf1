"""Ports for servers that a measurement or a test starts."""

import os
import random
import socket
from contextlib import ExitStack

from vitrine.errors import TransientError

_RANGE = range(20_000, 32_768)
"""Below those that Linux gives to clients: no connection of another can come to sit there."""


def free_ports(count: int) -> list[int]:
    """Return `count` different ports of 127.0.0.1 that no process listens on.

    Raises TransientError when no port is free."""
    ports, reason = list[int](), "Address already in use"
    own = _own_range()
    with ExitStack() as probes:
        for port in random.SystemRandom().sample(own, len(own)):
            if len(ports) == count:
                return ports
            probe = socket.socket()
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                reason = error.strerror or reason
                probe.close()
            else:
                probes.enter_context(probe)
                ports.append(port)
    raise TransientError(
        f"this machine has no free port on 127.0.0.1 ({reason}): end programs that "
        "hold connections, or wait a minute until closed ones are given back"
    )


def free_port() -> int:
    """Return one free port."""
    return free_ports(1)[0]


def _own_range() -> range:
    """Return the ports of this worker of pytest: another would find them free at the same time."""
    worker, count = (os.environ.get(f"PYTEST_XDIST_WORKER{end}", "") for end in ("", "_COUNT"))
    return _RANGE[int(worker.removeprefix("gw")) :: int(count)] if worker else _RANGE
