"""(e) Ten clients request the largest images while others look at tiles."""

import asyncio
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import uvloop

from loadtest.client.http_client import HttpClient
from loadtest.client.rig_load import latencies
from loadtest.corpora.access_masters import Master
from loadtest.figures.process_cpu import PeakWatch
from loadtest.rigs.rig import Rig
from loadtest.studies.delivery.delivery_requests import image_path, interior_tiles, tile_path
from loadtest.studies.delivery.delivery_stage import Stage, start_rigs, warm_rig
from loadtest.studies.interleaved_rounds import rotate
from loadtest.workload.answers import Answer
from loadtest.workload.target import Target

CLIENTS = 10
SECONDS = 4.0
TILE_CLIENTS = 4
TILE_PAUSE_SECONDS = 0.005
REFUSED_PAUSE_SECONDS = 0.25
"""Less than the servers' Retry-After, so that rejections are frequent."""
LABEL = "ten large images at once"


@dataclass
class _Seen:
    giants: list[Answer] = field(default_factory=list)
    tiles: list[Answer] = field(default_factory=list)


def measure_giants(stage: Stage) -> dict[str, Any]:
    """Measure peak memory over all processes, rejections, and the effect on tiles."""
    native, large = stage.masters["photo-24.tif"], stage.masters["photo-400.tif"]
    # Each a pixel smaller than the one before: equal simultaneous requests are rendered only once.
    giants = [
        target
        for less in range(CLIENTS // 2)
        for target in (
            Target("native size", image_path(native, _all_but(native, less), "full")),
            Target("!4096", image_path(large, _all_but(large, less), "!4096,4096")),
        )
    ]
    tiles = [Target("tile", tile_path(large, tile)) for tile in interior_tiles(large, 500)]
    rows = []
    for number in range(1, stage.rounds + 1):
        # Fresh ones: memory once taken is rarely given back.
        for context in rotate(stage.three_rigs(), number):
            with ExitStack() as stack:
                (rig,) = start_rigs(stack, [context])
                warm_rig(rig, tiles)
                row = {"label": LABEL, "bed": rig.name, "round": number}
                rows.append(row | _measure_round(rig, giants, tiles))
        stage.progress(f"{LABEL}: round {number} of {stage.rounds}")
    return {"rows": rows, "checks": []}


def _all_but(master: Master, rows: int) -> str:
    return f"0,0,{master.width},{master.height - rows}"


def _measure_round(rig: Rig, giants: list[Target], tiles: list[Target]) -> dict[str, Any]:
    alone = uvloop.run(_load(rig.url, [], tiles))
    resting = rig.usage().resident_bytes
    with PeakWatch(lambda: rig.usage().resident_bytes) as watch:
        seen = uvloop.run(_load(rig.url, giants, tiles))
    rig.check()
    statuses = Counter(str(answer.status) for answer in seen.giants)
    refused = [answer for answer in seen.giants if answer.status == 503]
    other = [a for a in seen.giants if a.fault and a.status != 503]
    return {
        "resident_bytes_before": resting,
        "resident_bytes_peak": watch.peak_bytes,
        "statuses": dict(statuses),
        "refused_with_retry_after": sum(
            bool(answer.headers.get("retry-after")) for answer in refused
        ),
        "refused_without": sum(not answer.headers.get("retry-after") for answer in refused),
        "other_failures": len(other),
        "failed": [f"{answer.target.path}: {answer.fault}" for answer in other[:5]],
        "tile_failures": sum(bool(answer.fault) for answer in seen.tiles),
        "tiles_alone": latencies(answer.seconds for answer in alone.tiles),
        "tiles_meanwhile": latencies(answer.seconds for answer in seen.tiles),
    }


async def _load(url: str, giants: list[Target], tiles: list[Target]) -> _Seen:
    seen = _Seen()
    end = time.monotonic() + SECONDS

    async def look_at_tiles(first: int) -> None:
        client, number = HttpClient(url), first
        while time.monotonic() < end:
            seen.tiles.append(await client.request(tiles[number % len(tiles)]))
            number += TILE_CLIENTS
            await asyncio.sleep(TILE_PAUSE_SECONDS)
        client.close()

    async def ask_for_giants(target: Target) -> None:
        client = HttpClient(url)
        while time.monotonic() < end:
            answer = await client.request(target)
            seen.giants.append(answer)
            if answer.status == 503:
                await asyncio.sleep(REFUSED_PAUSE_SECONDS)
        client.close()

    await asyncio.gather(
        *(look_at_tiles(number) for number in range(TILE_CLIENTS)),
        *(ask_for_giants(target) for target in giants),
    )
    return seen
