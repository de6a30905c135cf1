"""What these tests start, and where it listens."""

import socket
from dataclasses import dataclass

from vitrine.adapters.aws.access import AwsAccess
from vitrine.local.process import Running


@dataclass(frozen=True)
class Emulated:
    """The emulator's process, and clients of it."""

    running: Running
    cloud: AwsAccess


def free_ports(count: int) -> list[int]:
    """Ports nobody listens on right now."""
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
