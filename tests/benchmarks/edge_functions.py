r"""What the edge's functions cost: their size, their time, and what reaches the gateway.

    python -m tests.benchmarks.edge_functions [--rounds 9] [--requests 500] \
        [--raw runs/edge-functions.json]

Every function that is deployed and its bytes; microseconds of a call in V8, and CPU microseconds of
a request of the local edge's nginx, which runs the same text in njs and keeps what it got once, for
open and restricted tiles and for tickets that are refused. CloudFront's own measure, its compute
utilization, is only to be had there (`aws cloudfront test-function`). Last, of many holders of
tickets and of forgers, how many requests reached the gateway.
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from loadtest.figures.order_statistics import median
from loadtest.figures.process_cpu import tree
from loadtest.rigs.free_port import free_ports
from stacks.constructs.edge_function_code import FUNCTIONS, function_code
from tests.unit.edge.edge_bench import Upstream, wait_for
from tests.unit.edge.edge_function import event
from vitrine.access.keys import Keys
from vitrine.access.tickets import SHARE, Ticket, sign_ticket
from vitrine.adapters.nginx.edge_keys import NginxEdgeKeys
from vitrine.edge import functions
from vitrine.local.edge.edge import command, write_configuration
from vitrine.store.ticket_keys import TicketKeys

RUNNER = Path(__file__).with_suffix(".js")
MOST_BYTES = 10_240
CALLS = 2_000
TILE = "/iiif/3/a/0,0,256,256/256,256/0/default.jpg"
STAFF = f"/restricted/staff{TILE}"
KEYS = Keys.create()
COOKIES = ("__Host-vitrine-ticket", "__Host-vitrine-place")
HOLDERS, FORGERIES = 50, 10_000


@dataclass(frozen=True)
class Case:
    """A request at the edge."""

    name: str
    path: str
    cookies: Mapping[str, str] = field(default_factory=dict)
    status: int = 200

    def sent(self) -> dict[str, Any]:
        """Return it as an event of CloudFront."""
        found = event("GET", self.path)
        found["request"]["cookies"] = {
            name: {"value": value} for name, value in self.cookies.items()
        }
        function = "RESTRICTED_REQUEST" if self.path != TILE else "VIEWER_REQUEST"
        return {"name": self.name, "function": function, "event": found, "status": self.status}

    def headers(self) -> dict[str, str]:
        """Return the headers of it for nginx."""
        pairs = [f"{name}={value}" for name, value in self.cookies.items()]
        return {"Cookie": "; ".join(pairs)} if pairs else {}


def ticket(keys: Keys = KEYS, lifetime_seconds: int = 3_600, **changes: Any) -> str:
    """Return a ticket for staff."""
    now = int(time.time())
    usual = Ticket(issued_at=now, expires_at=now + lifetime_seconds, rights=("staff",))
    return sign_ticket(replace(usual, **changes), keys)


def forged(number: int = 0) -> str:
    """Return a ticket that names our key and was signed by another secret."""
    [name] = KEYS.secrets
    stranger = Keys({name: Keys.create().secrets.popitem()[1]})
    return ticket(stranger, 3_600 + number)


def cases() -> list[Case]:
    """Return an open tile first, then restricted ones, then those that are refused."""
    link = ticket(use=SHARE, rights=(), identifier="a", link="l1")
    good, bad = ticket(), forged()
    refused = 401
    return [
        Case("open tile", TILE),
        Case("ticket in a cookie", STAFF, {COOKIES[0]: good}),
        Case("ticket in the path", STAFF.replace("/iiif/", f"/{good}/iiif/")),
        Case("share link", f"/restricted/share/{link}{TILE}"),
        Case("no ticket", STAFF, {}, refused),
        Case("ticket of an unknown key", STAFF, {COOKIES[0]: ticket(Keys.create())}, refused),
        Case("forged signature", STAFF, {COOKIES[0]: bad}, refused),
        Case("two forged signatures", STAFF, dict.fromkeys(COOKIES, bad), refused),
        Case(
            "ticket that has ended", STAFF, {COOKIES[0]: ticket(issued_at=1, expires_at=2)}, refused
        ),
    ]


def time_in_v8(rounds: int) -> list[dict[str, float]]:
    """Return the microseconds of a call by the name of its case, round by round."""
    written = {
        "functions": {
            name: function_code(getattr(functions, name))
            for name in ("VIEWER_REQUEST", "RESTRICTED_REQUEST")
        },
        "store": TicketKeys(KEYS).edge_values(),
        "cases": [one.sent() for one in cases()],
        "rounds": rounds,
        "calls": CALLS,
    }
    done = subprocess.run(
        ["node", RUNNER], input=json.dumps(written), capture_output=True, text=True, check=True
    )
    found: list[dict[str, float]] = json.loads(done.stdout)
    return found


@dataclass
class RunningEdge:
    """An nginx that plays CloudFront, and what is behind it."""

    pid: int
    port: int
    origin: Upstream

    def ask(self, connection: HTTPConnection, one: Case) -> str:
        """Return how the cache answered. Raises AssertionError for another status."""
        connection.request("GET", one.path, headers=one.headers())
        answer = connection.getresponse()
        answer.read()
        assert answer.status == one.status, f"{one.name}: {answer.status}"
        return answer.headers.get("X-Cache", "")

    def cost(self, one: Case, requests: int) -> float:
        """Return the CPU microseconds of a request."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        self.ask(connection, one)
        before = self._cpu_seconds()
        for _ in range(requests):
            self.ask(connection, one)
        spent = self._cpu_seconds() - before
        connection.close()
        return spent / requests * 1e6

    def _cpu_seconds(self) -> float:
        stats = [Path(f"/proc/{pid}/schedstat").read_text() for pid in tree([self.pid])]
        return sum(int(text.split()[0]) for text in stats) / 1e9


@contextmanager
def edge() -> Iterator[RunningEdge]:
    """Run an edge before a server that answers everything with a tile's worth of bytes."""
    origin = Upstream(padding=12_000)
    origin.serve()
    origin.headers = {"Cache-Control": "public, max-age=300, s-maxage=2592000"}
    [port] = free_ports(1)
    with tempfile.TemporaryDirectory(prefix="vitrine-edge-") as folder:
        NginxEdgeKeys(Path(folder)).replace(TicketKeys(KEYS).edge_values())
        configuration = write_configuration(
            Path(folder),
            port=port,
            origin_port=origin.port,
            emulator_port=origin.port,
            site_bucket="none",
            functions=FUNCTIONS,
        )
        with subprocess.Popen(command(configuration)) as process:
            try:
                wait_for(process, port)
                yield RunningEdge(process.pid, port, origin)
            finally:
                process.terminate()
                origin.stop()


def count_requests(edge_: RunningEdge) -> dict[str, int]:
    """Return how many requests reached the gateway, of so many at the edge, by who sent them."""
    connection, received = HTTPConnection("127.0.0.1", edge_.port), edge_.origin.received
    path = STAFF.replace("/a/", "/counted/")
    counts = {}
    for name, most, status, make in (
        (f"{HOLDERS} holders of tickets, one tile", HOLDERS, 200, _other_ticket),
        (f"{FORGERIES:,} forged tickets, the same tile", FORGERIES, 401, forged),
    ):
        received.clear()
        for number in range(most):
            edge_.ask(connection, Case(name, path, {COOKIES[0]: make(number)}, status))
        counts[name] = len(received)
    return counts


def _other_ticket(number: int) -> str:
    return ticket(lifetime_seconds=3_600 + number)


def print_times(title: str, rounds: list[dict[str, float]]) -> None:
    """Print least and median of each case, and the median of the ratios to an open tile."""
    print(f"\n{title:32}{'min':>9}{'median':>9}{'to open':>9}")
    for name in rounds[0]:
        values = [one[name] for one in rounds]
        ratio = median(one[name] / one["open tile"] for one in rounds)
        print(f"{name:32}{min(values):9.1f}{median(values):9.1f}{ratio:9.2f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.edge_functions")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--requests", type=int, default=500, help="Of each case in a round.")
    parser.add_argument("--raw", type=Path, default=Path("runs/edge-functions.json"))
    chosen = parser.parse_args()
    names = [name for name in vars(functions) if name.isupper()]
    sizes = {name: len(function_code(getattr(functions, name)).encode()) for name in names}
    print(f"{'function':32}{'bytes':>9}{'of all':>9}")
    for name, size in sizes.items():
        print(f"{name:32}{size:9,}{size / MOST_BYTES:9.0%}")
    in_v8 = time_in_v8(chosen.rounds)
    print_times("a call in V8, microseconds", in_v8)
    with edge() as running:
        requested = cases()
        rounds = [
            {one.name: running.cost(one, chosen.requests) for one in requested}
            for _ in range(chosen.rounds + 1)
        ][1:]  # the first one warms up
        print_times("a request of nginx, CPU microseconds", rounds)
        counts = count_requests(running)
    print(f"\n{'reached the gateway':40}{'requests':>9}")
    for name, count in counts.items():
        print(f"{name:40}{count:9,}")
    chosen.raw.parent.mkdir(exist_ok=True)
    raw = {"bytes": sizes, "v8": in_v8, "nginx": rounds, "reached": counts}
    chosen.raw.write_text(json.dumps(raw, indent=1))


if __name__ == "__main__":
    main()
