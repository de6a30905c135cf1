"""Tiles with several gateway processes, and what a cold image costs the store, round by round.

    python -m tests.benchmarks.gateway_processes [--processes 1,2,4] [--routes image,random] \\
        [--cores 1] [--rounds 5] [--seconds 2] [--connections 16] [--out FILE]

The image task runs on one core and wrk on another; where the task's cores leave none to wrk, it
takes a part of them, which the figures name. Routes are how nginx chooses a process: by image, as
in production, or at random. Each round measures all of them, each time another first. Tiles come
from a warm block cache, of eight images or of one; a cold image is read by a hundred clients, tile
by tile. Prints medians and writes every round as JSON.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from loadtest.client.wrk_peak import WrkRun, send_with_wrk
from loadtest.figures.order_statistics import median
from loadtest.figures.process_cpu import usage
from loadtest.rigs.pinning import pinned
from loadtest.rigs.rig import Rig as MeasuredRig
from loadtest.studies.cold_reads.cold_addresses import address, random_tiles
from loadtest.studies.interleaved_rounds import rotate
from tests.integration.deliver.cold_images import write_like_ours
from tests.integration.deliver.stored_rig import StoredRig, stored_rig
from vitrine.records import Live

IMAGES, TILES, READERS = 8, 120, 100
WIDTH, HEIGHT = 6000, 4000
ROUTES = {"image": "", "random": "s/hash $image consistent;/random;/"}
_ENVSUBST = """#!/bin/sh
sed '{change}' | /usr/bin/envsubst "$@"
"""


class _Task(MeasuredRig):
    """The processes of a task, as wrk's runs want them."""

    stored: StoredRig

    def cpu_seconds(self) -> dict[str, float]:
        running = self.stored.rig.processes
        return {name: usage([process.pid]).cpu_seconds for name, process in running.items()}

    def check(self) -> None:
        assert all(process.poll() is None for process in self.stored.rig.processes.values())


@dataclass(frozen=True)
class Setup:
    """A running task: how many gateway processes it has, and how nginx chooses one."""

    processes: int
    route: str
    stored: StoredRig
    images: Sequence[Live]

    @property
    def task(self) -> _Task:
        task = _Task(name=f"{self.processes} x {self.route}", port=self.stored.rig.port)
        task.stored = self.stored
        return task

    def resident_mebibytes(self) -> float:
        """Return the memory of the gateway's processes; pages that they share count in parts."""
        gateway = self.stored.rig.processes["gateway"].pid
        pids = [gateway, *self.stored.rig.children("gateway")]
        texts = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in pids]
        lines = [line for text in texts for line in text.splitlines() if line.startswith("Pss:")]
        return sum(int(line.split()[1]) for line in lines) / 1024


@contextmanager
def running(processes: int, route: str, pyramid: Path) -> Iterator[Setup]:
    """Start a task, and have it read the tiles that are measured."""
    with tempfile.TemporaryDirectory() as folder:
        shim = Path(folder, "envsubst")
        shim.write_text(_ENVSUBST.format(change=ROUTES[route]))
        shim.chmod(0o755)
        path = f"{folder}:{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin"
        with stored_rig(
            VITRINE_GATEWAY_PROCESSES=str(processes),
            VITRINE_TILE_CACHE_MEBIBYTES="0",  # or nginx would answer in the gateway's place
            PATH=path,
        ) as stored:
            images = [stored.publish(pyramid) for _ in range(IMAGES)]
            for _, image in product(range(4 * processes if route == "random" else 1), images):
                answers = stored.ask(image, random_tiles(image, TILES, seed=1))
                assert {answer.status for answer in answers} == {200}
            yield Setup(processes, route, stored, images)


def measure_tiles(setup: Setup, images: Sequence[Live], load: WrkRun) -> dict[str, Any]:
    """Return the figures of one run over the warm tiles of some images."""
    paths = [
        address(image, parameters)
        for parameters in zip(*(random_tiles(i, TILES, seed=1) for i in images), strict=True)
        for image, parameters in zip(images, parameters, strict=True)
    ]
    return send_with_wrk(setup.task, paths, load)


def measure_cold(setup: Setup, pyramid: Path, seed: int) -> dict[str, Any]:
    """Return what a hundred readers of an image that nobody has read cost the store."""
    image = setup.stored.publish(pyramid)
    setup.stored.server.delay(0.02)
    setup.stored.server.forget()
    answers = setup.stored.ask(image, random_tiles(image, READERS, seed=seed))
    assert {answer.status for answer in answers} == {200}
    summary = setup.stored.server.summary()
    return {"reads": summary.reads, "bytes": summary.bytes, "repeated": summary.repeated}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.gateway_processes")
    parser.add_argument("--processes", default="1,2,4")
    parser.add_argument("--routes", default="image,random")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--out", type=Path, help="File for every round's figures, as JSON.")
    chosen = parser.parse_args()
    counts = [int(text) for text in chosen.processes.split(",")]
    load = WrkRun(connections=chosen.connections, seconds=chosen.seconds)
    rows: list[dict[str, Any]] = []
    with ExitStack() as stack:
        pyramid = Path(stack.enter_context(tempfile.TemporaryDirectory()), "pyramid.tif")
        write_like_ours(pyramid, WIDTH, HEIGHT)
        pinning = stack.enter_context(pinned(chosen.cores))
        pinning.start_servers()
        setups = [
            stack.enter_context(running(count, route, pyramid))
            for count, route in product(counts, chosen.routes.split(","))
            if count > 1 or route == "image"
        ]
        pinning.start_generator()
        for number in range(1, chosen.rounds + 1):
            for setup in rotate(setups, number):
                name = {"round": number, "processes": setup.processes, "route": setup.route}
                for label, images in {"eight": setup.images, "one": setup.images[:1]}.items():
                    figures = measure_tiles(setup, images, load)
                    rows.append({**name, "images": label, **figures})
                cold = measure_cold(setup, pyramid, number)
                rows.append({**name, "images": "cold", **cold, "mib": setup.resident_mebibytes()})
    if chosen.out:
        chosen.out.write_text(json.dumps({"cores": chosen.cores, "rounds": rows}, indent=1))
    print_medians(rows)


def print_medians(rows: Sequence[dict[str, Any]]) -> None:
    """Print a line for each number of processes, route and scenario."""
    columns = ("requests_per_second", "cpu_ms_per_request", "p99_ms", "generator_cores", "failures")
    cold = ("reads", "bytes", "repeated", "mib")
    for scenario, names in (("eight", columns), ("one", columns), ("cold", cold)):
        print(f"\n{scenario:10}{'route':>8}" + "".join(f"{name:>21}" for name in names))
        found = [row for row in rows if row["images"] == scenario]
        for key in sorted({(row["processes"], row["route"]) for row in found}):
            group = [row for row in found if (row["processes"], row["route"]) == key]
            figures = [median(row[name] for row in group) for name in names]
            print(f"{key[0]:<10}{key[1]:>8}" + "".join(f"{figure:21,.3f}" for figure in figures))


if __name__ == "__main__":
    main()
