"""CPU that the gateway and iipsrv take for a derivative, by class of request, round by round.

    python -m tests.benchmarks.renderer_cost [OTHER_TREE] [--rounds 7] [--raw runs/renderer.json]

Each tree's own gateway process asks iipsrv processes of its own for JPEGs of three photographs;
nothing keeps a derivative. Prints medians of the rounds, in CPU milliseconds: of the gateway, of
iipsrv, and the gateway's part of iipsrv's. Every round is in the raw file.
"""

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pyvips

from loadtest.corpora.access_masters import write_standard
from loadtest.corpora.photographs import DRAGONFLY, KLEIBER, SEEDING
from loadtest.figures.order_statistics import median
from loadtest.rigs.iipsrv_pool import iipsrv_pool
from tests.benchmarks.gateway_cost import HERE, Gateway, gateway
from tests.integration.deliver.deliver_pictures import live_record
from vitrine.local.debian_files import fetch

PROCESSES = 2
CLASSES = {
    "!128": ("full/!128,128/0/default.jpg", 60),
    "!200": ("full/!200,200/0/default.jpg", 60),
    "!300": ("full/!300,300/0/default.jpg", 60),
    "!400": ("full/!400,400/0/default.jpg", 60),
    "!1024": ("full/!1024,1024/0/default.jpg", 24),
    "!2000": ("full/!2000,2000/0/default.jpg", 9),
    "!4096": ("full/!4096,4096/0/default.jpg", 3),
    "region 512, unscaled": ("{x},{y},512,512/512,512/0/default.jpg", 60),
    "region 1000 to 512": ("{x},{y},1000,1000/512,512/0/default.jpg", 30),
    "region 2000 to 500": ("{x},{y},2000,2000/500,500/0/default.jpg", 60),
    "!1024, turned by 90": ("full/!1024,1024/90/default.jpg", 24),
    "!400, gray": ("full/!400,400/0/gray.jpg", 60),
    "region 300 to ^600": ("{x},{y},300,300/^600,600/0/default.jpg", 60),
}
"""Address behind the identifier, and the number of requests in a round."""


@dataclass(frozen=True)
class Cost:
    """CPU milliseconds of one request."""

    gateway: float
    iipsrv: float


@dataclass
class Servers:
    """One tree's gateway and its iipsrv processes."""

    gateway: Gateway
    iipsrv: int
    """The supervisor of iipsrv's processes."""

    def iipsrv_seconds(self) -> float:
        """Return the time that all of iipsrv's processes have had on a processor."""
        children = Path(f"/proc/{self.iipsrv}/task/{self.iipsrv}/children").read_text().split()
        stats = [Path(f"/proc/{pid}/schedstat").read_text() for pid in children]
        return sum(int(stat.split()[0]) for stat in stats) / 1e9

    def cost(self, address: str, count: int, names: list[str]) -> Cost:
        """Return the mean of `count` requests, spread over pictures and regions."""
        before = self.gateway.cpu_seconds(), self.iipsrv_seconds()
        for number in range(count):
            region = {"x": 37 + 211 * number % 1900, "y": 91 + 157 * number % 900}
            path = f"/iiif/3/{names[number % len(names)]}/{address.format(**region)}"
            status = self.gateway.ask(path)
            assert status == 200, f"{path}: {status}"
        after = self.gateway.cpu_seconds(), self.iipsrv_seconds()
        ours, theirs = ((new - old) / count * 1e3 for new, old in zip(after, before, strict=True))
        return Cost(ours, theirs)


@contextmanager
def servers(tree: Path, store: Path) -> Iterator[Servers]:
    """Start the gateway and the iipsrv of `tree`."""
    with tempfile.TemporaryDirectory(prefix="vitrine-") as work:
        variables = {
            "VITRINE_WORK_DIRECTORY": work,
            "VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "0",
        }
        with (
            iipsrv_pool(Path(work), PROCESSES, tree) as supervisor,
            gateway(tree, store, variables) as process,
        ):
            yield Servers(process, supervisor)


def write_photographs(folder: Path) -> list[str]:
    """Write the access masters with their records; return the identifiers."""
    records = []
    for file in (DRAGONFLY, KLEIBER, SEEDING):
        name = Path(file.name).stem
        path = folder / f"{name}.tif"
        write_standard(pyvips.Image.new_from_file(str(fetch(file)), access="sequential"), path)
        pages = pyvips.Image.new_from_file(str(path)).get("n-pages")
        levels = [pyvips.Image.new_from_file(str(path), page=page) for page in range(pages)]
        sizes = [(level.width, level.height) for level in levels]
        record = live_record(name, path.name, path, sizes)
        # An older tree does not know of fields that are empty here.
        records.append({key: value for key, value in record.items() if value not in ("", None)})
    (folder / "records.json").write_text(json.dumps(records))
    return [record["identifier"] for record in records]


def print_line(name: str, costs: list[Cost]) -> None:
    """Print the medians of the rounds."""
    ours, theirs = median(cost.gateway for cost in costs), median(cost.iipsrv for cost in costs)
    # What the gateway renders itself has no part.
    part = f"{ours / theirs:8.1%}" if theirs > ours / 10 else ""
    print(f"{name:36}{ours:10.3f}{theirs:10.3f}{part}", flush=True)


def main() -> None:
    """Measure, print, and keep every round."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.renderer_cost")
    parser.add_argument("other", type=Path, nargs="?", help="Another tree of this repository.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="Classes whose name contains this.")
    parser.add_argument("--raw", type=Path, default=Path("runs/renderer-cost.json"))
    chosen = parser.parse_args()
    # As after Ctrl-C, the servers that it started end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    trees = {"this": HERE} | ({"other": chosen.other.resolve()} if chosen.other else {})
    raw: dict[str, list[dict[str, Cost]]] = {}
    with ExitStack() as stack:
        store = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        names = write_photographs(store)
        running = {name: stack.enter_context(servers(tree, store)) for name, tree in trees.items()}
        print(f"{'':36}{'gateway':>10}{'iipsrv':>10}{'part':>8}")
        for kind, (address, count) in CLASSES.items():
            if chosen.only not in kind:
                continue
            rounds = []
            for number in range(-1, chosen.rounds):  # the first round warms up
                order = sorted(running, reverse=bool(number % 2))
                rounds.append({name: running[name].cost(address, count, names) for name in order})
            raw[kind] = rounds[1:]
            for name in running:
                title = kind if len(running) == 1 else f"{kind}, {name}"
                print_line(title, [costs[name] for costs in raw[kind]])
    chosen.raw.parent.mkdir(parents=True, exist_ok=True)
    chosen.raw.write_text(json.dumps(raw, default=asdict, indent=1))
    print(f"Every round: {chosen.raw}")


if __name__ == "__main__":
    main()
