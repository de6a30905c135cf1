"""One part of the drill: a server started fresh, visitors, and with or without a swarm."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loadtest.drills.swarm.swarm_images import SwarmImages, is_fresh, name_images
from loadtest.drills.swarm.swarm_process import SwarmOrders
from loadtest.drills.swarm.swarm_watch import SwarmWatch, by_label, read_metrics, sum_of
from loadtest.drills.swarm.visitors import Visits, look_around
from loadtest.figures.generator_limit import is_generator_limited
from loadtest.figures.order_statistics import percentile
from loadtest.figures.request_figures import count_faults
from loadtest.workload.answers import Answer
from loadtest.workload.target import INFO, TILE
from rigs.gateway_process import STORE_URL
from rigs.object_server.server_process import RunningStore, run_store
from rigs.rig import Rig, vitrine_rig

S3_LATENCY_SECONDS = 0.02
CACHE_MEBIBYTES = 2_048
DERIVATIVES_MEBIBYTES = 256
SETTLING_SECONDS = 15.0
"""Visitors are there for so long before the swarm comes and anything counts."""
BUCKET_SECONDS = 5.0
PROBE_CLIENTS = 8


@dataclass(frozen=True, kw_only=True)
class SwarmOrder:
    """What all parts of a run have in common, JSON-ready."""

    seconds: float
    visitors: int = 50
    addresses: int = 10_000
    times: float = 5.0
    """Requests of the swarm, as a multiple of what the machine can answer."""
    per_second: float = 0.0
    """Requests of the swarm instead, whatever the machine can answer; 0: by `times`."""
    seed: int = 21
    settings: tuple[tuple[str, str], ...] = ()
    """Settings of our image task that differ from the deployed ones, by their variables."""


@dataclass(frozen=True, kw_only=True)
class SwarmPart:
    """One part: what the service does under pressure, and how many requests of a swarm."""

    name: str
    under_pressure: str = "count"
    swarm_per_second: float = 0.0


@dataclass(frozen=True)
class _SwarmServer:
    rig: Rig
    images: SwarmImages
    store: RunningStore


def run_part(part: SwarmPart, order: SwarmOrder, folder: Path, scratch: Path) -> dict[str, Any]:
    """Start the server, let visitors and swarm come, and return the figures. Raises ProcessDied."""
    with _start_server(part, order, folder, scratch) as server:
        look_around(server.rig.url, server.images, order.visitors, SETTLING_SECONDS, order.seed + 1)
        server.store.forget()
        before = read_metrics(server.rig)
        cpu = server.rig.cpu_seconds()
        swarm: dict[str, Any] = {}
        with SwarmWatch(server.rig) as watch, _send_swarm(part, order, server, scratch, swarm):
            visits = look_around(
                server.rig.url, server.images, order.visitors, order.seconds, order.seed
            )
        after = server.rig.cpu_seconds()
        return {
            "part": asdict(part),
            "visitors": summarise_visits(visits),
            "swarm": swarm,
            "server_cores": {
                name: round((after[name] - cpu[name]) / visits.seconds, 3) for name in after
            },
            "peak_memory_bytes": watch.peak("memory_bytes"),
            "peak_disk_bytes": watch.peak("disk_bytes"),
            "samples": watch.samples,
            "generator_cores": round(visits.cores, 3),
            "generator_limited": is_generator_limited(visits.cores)
            or is_generator_limited(swarm.get("cores", 0.0)),
            **_read_store(server, before),
        }


def probe_capacity(
    order: SwarmOrder, folder: Path, scratch: Path, seconds: float
) -> dict[str, Any]:
    """Return how many of the swarm's requests the machine answers in a second, and nothing else."""
    part = SwarmPart(name="probe", under_pressure="count")
    with _start_server(part, order, folder, scratch) as server:
        orders = SwarmOrders(
            url=server.rig.url,
            scratch=str(scratch),
            addresses=order.addresses,
            seconds=seconds,
            clients=PROBE_CLIENTS,
            seed=order.seed - 1,
        )
        sent = _run_swarm(orders)
    answers = sum(sent["answers"].values())
    return {"swarm": sent, "per_second": round(answers / sent["seconds"], 3)}


@contextmanager
def _send_swarm(
    part: SwarmPart, order: SwarmOrder, server: _SwarmServer, scratch: Path, result: dict[str, Any]
) -> Iterator[None]:
    """Send the swarm's requests while the `with` block runs; `result` gets what became of them."""
    if not part.swarm_per_second:
        yield
        return
    orders = SwarmOrders(
        url=server.rig.url,
        scratch=str(scratch),
        addresses=order.addresses,
        seconds=order.seconds,
        per_second=part.swarm_per_second,
        seed=order.seed,
    )
    thread = threading.Thread(target=lambda: result.update(_run_swarm(orders)), name="swarm")
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _run_swarm(orders: SwarmOrders) -> dict[str, Any]:
    command = [sys.executable, "-m", "loadtest.drills.swarm.swarm_process"]
    done = subprocess.run(
        [*command, json.dumps(asdict(orders))], stdout=subprocess.PIPE, check=True, text=True
    )
    sent: dict[str, Any] = json.loads(done.stdout)
    return sent


@contextmanager
def _start_server(
    part: SwarmPart, order: SwarmOrder, folder: Path, scratch: Path
) -> Iterator[_SwarmServer]:
    with run_store(folder, S3_LATENCY_SECONDS) as store:
        settings = {
            STORE_URL: store.url,
            "VITRINE_UNDER_PRESSURE": part.under_pressure,
            "VITRINE_CACHE_MEBIBYTES": str(CACHE_MEBIBYTES),
            "VITRINE_DERIVATIVE_CACHE_MEBIBYTES": str(DERIVATIVES_MEBIBYTES),
            **dict(order.settings),
        }
        with vitrine_rig(folder, name=part.name, **settings) as rig:
            yield _SwarmServer(rig, name_images(scratch), store)


def _read_store(server: _SwarmServer, before: Mapping[str, float]) -> dict[str, Any]:
    after = read_metrics(server.rig)
    added = {key: value - before.get(key, 0.0) for key, value in after.items()}
    summary = server.store.summary()
    return {
        "s3": {"requests": summary.reads, "bytes": summary.bytes, "repeated": summary.repeated},
        "table_names": sum_of(added, "identifier_reads_total"),
        "table_queries": sum_of(added, "identifier_queries_total"),
        "gave_way": by_label(added, "gave_way_total"),
        "priced_requests": by_label(added, "priced_requests_total"),
        "priced_core_seconds": by_label(added, "priced_core_seconds_total"),
        "answers": by_label(added, "answers_total"),
        "renders_refused": by_label(added, "renders_refused_total"),
        "lane_wait_seconds": by_label(after, "lane_wait_seconds"),
    }


def summarise_visits(visits: Visits) -> dict[str, Any]:
    """Return what visitors got: counts, failures, latencies by class, and tiles over time."""
    answers = visits.answers
    classes: dict[str, list[Answer]] = {}
    for answer in answers:
        classes.setdefault(_class_of(answer), []).append(answer)
    failed = [answer for answer in answers if answer.fault]
    tiles = [answer for answer in answers if answer.target.kind == TILE and not answer.fault]
    return {
        "seconds": round(visits.seconds, 1),
        "requests": len(answers),
        "bytes": sum(answer.bytes for answer in answers),
        "failures": len(failed),
        "faults": count_faults(answers),
        "tiles": _latency_figures(tiles),
        "classes": {name: _latency_figures(found) for name, found in sorted(classes.items())},
        "timeline": _latency_timeline(tiles, visits.began),
        "cores": round(visits.cores, 3),
    }


def _class_of(answer: Answer) -> str:
    target = answer.target
    if target.kind == INFO:
        return "info.json"
    if target.kind == TILE:
        return "tile of a fresh image" if is_fresh(target.image) else "tile of a known image"
    return "thumbnail"


def _latency_figures(answers: list[Answer]) -> dict[str, float]:
    seconds = [answer.seconds for answer in answers if not answer.fault]
    found: dict[str, float] = {"requests": len(answers)}
    if seconds:
        found |= {
            f"p{percent}_ms": round(1000 * percentile(seconds, percent), 2)
            for percent in (50, 95, 99)
        }
        found["max_ms"] = round(1000 * max(seconds), 1)
    return found


def _latency_timeline(tiles: list[Answer], began: float) -> list[dict[str, float]]:
    buckets: dict[int, list[Answer]] = {}
    for tile in tiles:
        buckets.setdefault(int((tile.began - began) / BUCKET_SECONDS), []).append(tile)
    return [
        {"at": number * BUCKET_SECONDS, **_latency_figures(buckets[number])}
        for number in sorted(buckets)
    ]
