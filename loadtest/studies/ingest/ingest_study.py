"""The benchmark: rounds of a whole collection, and of 50-megapixel masters one at a time."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loadtest.client.master_uploads import published, upload
from loadtest.corpora.ingest_masters import COLLECTION, FIFTY, MasterSpec, described, make
from loadtest.corpora.made_masters import MadeMaster
from loadtest.rigs.processor_use import ProcessorWatch
from loadtest.rigs.service_instance import Instance, instance
from loadtest.studies.ingest.bare_conversion import bare_conversion
from loadtest.studies.ingest.execution_history import CONVERT, conversion, stays
from vitrine.records import Live, Outcome

UPLOADS_AT_ONCE = 4
SETTLING_SECONDS = 1.0
"""The pipeline's work after publishing is part of its cost, though nobody waits for it."""
_HOUR = 3_600

Progress = Callable[[str], None]
Masters = Mapping[MasterSpec, MadeMaster]


def measure_ingest(rounds: int, copies: int, scratch: Path, progress: Progress) -> dict[str, Any]:
    """Start a service of its own, take the collection in `copies` times a round.

    Every round is measured with an ingest of each 50-megapixel master alone, and with its
    conversion alone. Raises VitrineError when a master is not published, what starting the
    service raises, RuntimeError where a photograph cannot be fetched.
    """
    progress("making the masters")
    masters = {spec: make(spec, scratch / "masters") for spec in COLLECTION}
    load_before = os.getloadavg()
    with instance(scratch / "service") as running, ProcessorWatch(running) as watch:
        _warm_up(running, masters)
        collections, singles = [], []
        for number in range(1, rounds + 1):
            collections.append(_collection(running, watch, masters, copies, f"round-{number}"))
            progress(f"round {number} of {rounds}: {_said(collections[-1])}")
            for spec in FIFTY:
                singles.append(_single(running, watch, spec, masters[spec], number))
                progress(f"  {spec.name} alone: {singles[-1]['wall_seconds']:.2f} s")
    return {
        "masters": [described(spec, master) for spec, master in masters.items()],
        "copies": copies,
        "load_average": {"before": load_before, "after": os.getloadavg()},
        "collections": collections,
        "singles": singles,
    }


def _warm_up(running: Instance, masters: Masters) -> None:
    """Start each Lambda once, as in a service that is at work."""
    _ingest(running, [(spec, masters[spec]) for spec in COLLECTION[:4]], "warm-up")


def _collection(
    running: Instance, watch: ProcessorWatch, masters: Masters, copies: int, name: str
) -> dict[str, Any]:
    batch = [item for _ in range(copies) for item in masters.items()]
    begun = time.time()
    outcomes = _ingest(running, batch, name)
    ended = time.time()
    time.sleep(SETTLING_SECONDS)
    seconds = ended - begun
    conversions = [conversion(stays(running, outcome.execution)) for outcome in outcomes]
    converting = watch.between(
        min(stay.entered for stay in conversions), max(stay.left for stay in conversions)
    )
    megapixels = sum(master.width * master.height for _, master in batch) / 1e6
    size = sum(master.path.stat().st_size for _, master in batch)
    return {
        "images": len(batch),
        "megapixels": round(megapixels, 1),
        "bytes": size,
        "access_master_bytes": sum(_access_master_bytes(running, one) for one in outcomes),
        "seconds": round(seconds, 2),
        "images_per_hour": round(len(batch) * _HOUR / seconds),
        "gigabytes_per_hour": round(size / 1e9 * _HOUR / seconds, 1),
        "megapixels_per_second": round(megapixels / seconds, 1),
        "while_converting": converting,
        "cpu_seconds": watch.between(begun, ended + SETTLING_SECONDS)["cpu_seconds"],
    }


def _access_master_bytes(running: Instance, outcome: Outcome) -> int:
    image = running.service.identifiers.get(outcome.identifier)
    return image.access_master_bytes if isinstance(image, Live) else 0


def _single(
    running: Instance, watch: ProcessorWatch, spec: MasterSpec, master: MadeMaster, number: int
) -> dict[str, Any]:
    """Measure one master alone, from the upload's first byte until it is published."""
    begun = time.time()
    key = upload(running, master.path, f"alone-{number}")
    uploaded = time.time()
    outcome = published(running, [key])[0]
    seen = time.time()
    time.sleep(SETTLING_SECONDS)
    used = watch.between(begun, seen + SETTLING_SECONDS)
    found = stays(running, outcome.execution)
    return {
        "master": spec.name,
        "megapixels": round(master.width * master.height / 1e6, 1),
        "wall_seconds": round(seen - begun, 3),
        "upload_seconds": round(uploaded - begun, 3),
        "until_first_state_seconds": round(found[0].entered - uploaded, 3),
        "state_seconds": {_state(stay.state): round(stay.seconds, 3) for stay in found},
        "seen_after_seconds": round(seen - found[-1].left, 3),
        "cpu_seconds": used["cpu_seconds"],
        "bare": bare_conversion(master.path),
    }


def _state(name: str) -> str:
    return CONVERT if name.startswith(CONVERT) else name


def _ingest(
    running: Instance, batch: Sequence[tuple[MasterSpec, MadeMaster]], name: str
) -> list[Outcome]:
    """Upload all, a few at once, and wait until all are published."""
    with ThreadPoolExecutor(UPLOADS_AT_ONCE) as pool:
        keys = list(
            pool.map(
                lambda item: upload(running, item[1][1].path, f"{name}-{item[0]}"),
                enumerate(batch),
            )
        )
    return published(running, keys)


def _said(collection: Mapping[str, Any]) -> str:
    return (
        f"{collection['images']} images in {collection['seconds']} s, "
        f"{collection['while_converting']['share_of_both_cores']:.0%} of the cores"
    )
