"""The Locust tables of the report's appendix 2: three servers at 10, 100, 1,000 connections."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum
from pathlib import Path

TABLES = Path(__file__).with_name("locust_2019.csv")
SERVERS = ("iipsrv-ptiff", "iipsrv-jp2", "cantaloupe-jp2")
CONNECTIONS = (10, 100, 1000)
MASTERS = ("small", "medium", "large")
"""Below 10 megapixels, to 75, and above: three lists, each Locust user keeps to one."""

DERIVATIVES = ("tile", "1024", "128", "4096")
MIX = (10, 4, 10, 1)
"""Requests for each derivative in a round: so in all columns, though the text says 50, 10, 1."""

SECONDS = 600
"""Length of each test."""

Kind = tuple[str, str]
"""Masters and derivative."""


@dataclass(frozen=True)
class LocustRow:
    """One line: requests answered and failed, times in milliseconds, mean bytes of an answer."""

    requests: int
    failures: int
    median_ms: float
    average_ms: float
    minimum_ms: float
    bytes: int
    requests_per_second: float


@dataclass(frozen=True)
class LocustTable:
    """One test: its lines by kind, and its line of totals."""

    server: str
    connections: int
    rows: Mapping[Kind, LocustRow]
    total: LocustRow

    @property
    def seconds(self) -> float:
        """How long Locust counted: requests over their rate."""
        return self.total.requests / self.total.requests_per_second

    @property
    def attempts_per_second(self) -> float:
        """Successes and failures."""
        return (self.total.requests + self.total.failures) / self.seconds

    @property
    def think_seconds(self) -> float:
        """Mean pause between a user's requests: N/X - R, by Little's law."""
        return self.connections / self.total.requests_per_second - self.total.average_ms / 1000

    @property
    def bytes_per_second(self) -> float:
        """Bytes of images that were moved."""
        return self.total.bytes * self.total.requests_per_second

    def users(self) -> dict[str, int]:
        """Return the users on each list of masters: X(R + Z), as whole users that add up."""
        shares = {name: self._users_of(name) for name in MASTERS}
        counts = {name: int(share) for name, share in shares.items()}
        by_rest = sorted(MASTERS, key=lambda name: counts[name] - shares[name])
        for name in by_rest[: self.connections - sum(counts.values())]:
            counts[name] += 1
        return counts

    def _users_of(self, masters: str) -> float:
        cycles = fsum(
            row.requests * (row.average_ms / 1000 + self.think_seconds)
            for (name, _), row in self.rows.items()
            if name == masters
        )
        return cycles / self.seconds


@cache
def tables() -> Sequence[LocustTable]:
    """Return all nine tables."""
    with TABLES.open(newline="") as file:
        lines = list(csv.DictReader(file))
    return tuple(
        _read_table(server, connections, lines) for server in SERVERS for connections in CONNECTIONS
    )


def table(server: str, connections: int) -> LocustTable:
    """Return one of them."""
    return next(t for t in tables() if (t.server, t.connections) == (server, connections))


def _read_table(server: str, connections: int, lines: list[dict[str, str]]) -> LocustTable:
    mine = [
        line
        for line in lines
        if line["server"] == server and line["connections"] == str(connections)
    ]
    rows = {(line["masters"], line["derivative"]): _read_row(line) for line in mine}
    total = rows.pop(("any", "any"))
    return LocustTable(server, connections, rows, total)


def _read_row(line: dict[str, str]) -> LocustRow:
    return LocustRow(
        requests=int(line["requests"]),
        failures=int(line["failures"]),
        median_ms=float(line["median_ms"]),
        average_ms=float(line["average_ms"]),
        minimum_ms=float(line["minimum_ms"]),
        bytes=int(line["bytes"]),
        requests_per_second=float(line["requests_per_second"]),
    )
