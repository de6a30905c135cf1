"""Where the servers of the tests may listen."""

import random
import socket
from contextlib import ExitStack

RANGE = range(20_000, 32_768)
"""Below those that Linux gives to clients: no connection of another test can come to sit there."""


def free_ports(count: int) -> list[int]:
    """Return ports nobody listens on right now."""
    ports: list[int] = []
    with ExitStack() as probes:
        while len(ports) < count:
            probe = probes.enter_context(socket.socket())
            port = random.SystemRandom().choice(RANGE)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            ports.append(port)
    return ports
