"""Counts what first requests read from a store with latency: the figures of `bench cold-reads`."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from loadtest.figures.order_statistics import median
from loadtest.rigs.object_server.server_process import run_store
from loadtest.studies.cold_reads.cold_addresses import THUMBNAIL, random_tiles
from loadtest.studies.cold_reads.cold_images import KINDS, make_image, record_of
from loadtest.studies.cold_reads.cold_visit import ColdGateway, Visit
from vitrine.records import Live

Progress = Callable[[str], None]
LATENCY_SECONDS = 0.02
CLIENTS = 50
SEED = 4


def measure_cold_reads(
    megapixels: int, tiles: int, scratch: Path, progress: Progress
) -> dict[str, Any]:
    """Count for our access master and for a plain libvips pyramid of the same size.

    Raises VitrineError when a pyramid cannot be made or an answer is not right.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    images = []
    for kind in KINDS:
        progress(f"{kind}: {megapixels} megapixels")
        images.append(record_of(make_image(kind, megapixels, scratch), kind))
    return measure_images(scratch, images, tiles, progress)


def measure_images(
    directory: Path, images: Sequence[Live], tiles: int, progress: Progress
) -> dict[str, Any]:
    """Count for these images in `directory`; `tiles` random tiles of each, one by one."""
    with run_store(directory, LATENCY_SECONDS) as running:
        gateway = ColdGateway(running, images)
        figures = {
            image.identifier: asyncio.run(_measure(gateway, image, tiles, progress))
            for image in images
        }
    return {"latency_ms": LATENCY_SECONDS * 1000, "seed": SEED, "images": figures}


async def _measure(
    gateway: ColdGateway, image: Live, tiles: int, progress: Progress
) -> dict[str, Any]:
    progress(f"{image.identifier}: {tiles} tiles, each on a cold cache")
    first = random_tiles(image, tiles, SEED)
    alone = [await gateway.visit(image, [parameters]) for parameters in first]
    crowd = random_tiles(image, CLIENTS, SEED + 1)
    at_once = {
        "different_tiles": crowd,
        "the_same_tile": crowd[:1] * CLIENTS,
        "tiles_and_thumbnails": crowd[: CLIENTS // 2] + [THUMBNAIL] * (CLIENTS - CLIENTS // 2),
    }
    return {
        "width": image.width,
        "height": image.height,
        "bytes": image.access_master_bytes,
        "info_json": _worst([await gateway.visit(image, ["info.json"])]),
        "first_tile": _worst(alone),
        "first_thumbnail": _worst([await gateway.visit(image, [THUMBNAIL]) for _ in range(3)]),
        "at_once": {
            name: _worst([await gateway.visit(image, parameters)])
            for name, parameters in at_once.items()
        },
        "tiles": [
            {"parameters": parameters, **asdict(visit.cost), "ms": _ms(visit.seconds)}
            for parameters, visit in zip(first, alone, strict=True)
        ],
    }


def _worst(visits: Sequence[Visit]) -> dict[str, Any]:
    return {
        "visits": len(visits),
        "requests_at_once": visits[0].requests,
        "reads": max(visit.cost.reads for visit in visits),
        "bytes": max(visit.cost.bytes for visit in visits),
        "repeated_bytes": max(visit.cost.repeated for visit in visits),
        "median_ms": _ms(median(visit.seconds for visit in visits)),
        "worst_ms": _ms(max(visit.seconds for visit in visits)),
    }


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
