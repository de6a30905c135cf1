"""A swarm next to visitors, part by part: without it, refusing, and only counting.

Every finished part is a file of the run's folder, and a run that was interrupted goes on with the
next one.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from loadtest.drills.swarm.swarm_bill import bill_of
from loadtest.drills.swarm.swarm_images import make_folder
from loadtest.drills.swarm.swarm_part import (
    CACHE_MEBIBYTES,
    DERIVATIVES_MEBIBYTES,
    S3_LATENCY_SECONDS,
    SwarmOrder,
    SwarmPart,
    probe_capacity,
    run_part,
)
from loadtest.errors import InvalidScenario

PROBE_SECONDS = 20.0
ALONE, REFUSE, COUNT = "alone", "refuse", "count"
MAX_RATIO = 1.5
MAX_THUMBNAIL_MS = 100.0
MAX_MEMORY_BYTES = 3 << 30
"""Memory in use, of the 4 GiB of a task with two cores."""
MAX_DISK_BYTES = (CACHE_MEBIBYTES + DERIVATIVES_MEBIBYTES + 256) << 20
"""Disk in use: both caches, with what is being written, and logs."""
CEILING = "VITRINE_STORE_MEBIBYTES_A_MINUTE"
Progress = Callable[[str], None]


def measure_swarm(
    order: SwarmOrder, folder: Path, scratch: Path, progress: Progress
) -> dict[str, Any]:
    """Run the parts that `folder` lacks, and return the figures of all. Raises ProcessDied."""
    folder.mkdir(parents=True, exist_ok=True)
    _require_same(order, folder)
    masters = make_folder(scratch, progress)

    def part_once(name: str, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        path = folder / f"part-{name}.json"
        if not path.exists():
            progress(f"{name} …")
            found = run()
            path.write_text(json.dumps(found, separators=(",", ":")) + "\n")
        figures: dict[str, Any] = json.loads(path.read_text())
        return figures

    probe = part_once("probe", lambda: probe_capacity(order, masters, scratch, PROBE_SECONDS))
    per_second = order.per_second or order.times * probe["per_second"]
    parts = {}
    for part in list_parts(per_second):
        run = partial(run_part, part, order, masters, scratch)
        parts[part.name] = part_once(part.name, run)
        progress(f"{part.name}: {describe_part(parts[part.name])}")
    return {
        "order": asdict(order),
        "s3_latency_ms": 1_000 * S3_LATENCY_SECONDS,
        "probe": probe,
        "swarm_per_second": round(per_second, 2),
        "parts": parts,
        "bills": {name: bill_of(part) for name, part in parts.items()},
    }


def list_parts(per_second: float) -> list[SwarmPart]:
    """Return the parts in their order, without the swarm first."""
    return [
        SwarmPart(name=ALONE, under_pressure="refuse"),
        SwarmPart(name=REFUSE, under_pressure="refuse", swarm_per_second=per_second),
        SwarmPart(name=COUNT, under_pressure="count", swarm_per_second=per_second),
    ]


def describe_part(part: Mapping[str, Any]) -> str:
    """Return a line about what visitors got."""
    visitors = part["visitors"]
    tiles, thumbnails = visitors["tiles"], visitors["classes"].get("thumbnail", {})
    return (
        f"tiles p50 {tiles.get('p50_ms', 0):.1f} ms, p99 {tiles.get('p99_ms', 0):.1f} ms; "
        f"thumbnails p95 {thumbnails.get('p95_ms', 0):.1f} ms; "
        f"{visitors['failures']} of {visitors['requests']} failed"
    )


def tile_ratio(figures: Mapping[str, Any], name: str) -> float:
    """Return the 99th percentile of visitors' tiles as a multiple of that without the swarm.

    It is infinite if none was answered.
    """
    parts = figures["parts"]
    return _tile_p99(parts[name]) / _tile_p99(parts[ALONE])


def broken_promises(figures: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each promise that the part that refuses did not keep."""
    part = figures["parts"][REFUSE]
    visitors = part["visitors"]
    found = []
    if visitors["failures"]:
        found.append(f"{visitors['failures']} requests of visitors failed.")
    if (ratio := tile_ratio(figures, REFUSE)) > MAX_RATIO:
        found.append(f"The visitors' tiles took {ratio:.2f} times as long (p99) as without it.")
    if (p95 := visitors["classes"]["thumbnail"]["p95_ms"]) > MAX_THUMBNAIL_MS:
        found.append(f"The visitors' thumbnails took {p95:.0f} ms (p95).")
    if (memory := part["peak_memory_bytes"]) > MAX_MEMORY_BYTES:
        found.append(f"The task took {memory / 2**30:.1f} GiB of memory.")
    if (disk := part["peak_disk_bytes"]) > MAX_DISK_BYTES:
        found.append(f"The task took {disk / 2**30:.1f} GiB of disk.")
    found += _above_ceiling(figures)
    if not part["gave_way"]:
        found.append("Nothing was refused: the swarm was too small to prove anything.")
    found += [
        f"The generator was the limit in {name}: its figures prove nothing."
        for name, part in figures["parts"].items()
        if part["generator_limited"]
    ]
    return found


def _above_ceiling(figures: Mapping[str, Any]) -> list[str]:
    """Return a sentence if the swarm read more of S3 than a ceiling that was set.

    What visitors read is counted, and never refused: it is what they read without the swarm.
    """
    ceiling = float(dict(figures["order"]["settings"]).get(CEILING, 0))
    if not ceiling:
        return []
    alone, part = figures["parts"][ALONE], figures["parts"][REFUSE]
    minutes = part["visitors"]["seconds"] / 60
    read = (part["s3"]["bytes"] - alone["s3"]["bytes"]) / minutes / 2**20
    if read <= ceiling:
        return []
    return [f"The swarm read {read:,.0f} MiB of S3 a minute, more than {ceiling:,.0f}."]


def _tile_p99(part: Mapping[str, Any]) -> float:
    return float(part["visitors"]["tiles"].get("p99_ms", inf))


def _require_same(order: SwarmOrder, folder: Path) -> None:
    """Note the order of a run in its folder. Raises InvalidScenario if it was begun by another."""
    path = folder / "order.json"
    text = json.dumps(asdict(order))
    if path.exists() and path.read_text() != text:
        raise InvalidScenario(
            f"{folder} has parts of a run with other options: give the same, or another folder"
        )
    path.write_text(text)
