"""Where the servers of the tests may listen."""

from loadtest.rigs.free_port import free_ports

__all__ = ["free_ports"]
