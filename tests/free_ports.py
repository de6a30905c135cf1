"""Where the servers of the tests may listen."""

import socket


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on right now."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
