"""From upload to zoomable: how long a curator waits, and how exact the colours are."""

import io
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyvips
from PIL import Image

from loadtest.corpora.made_masters import MadeMaster, adobe_rgb_16_bit
from loadtest.corpora.photographs import ELEPHANTS
from loadtest.figures.colour_difference import difference_from_adobe_rgb
from loadtest.figures.order_statistics import median, percentile
from vitrine.bootstrap.deployment import Deployment
from vitrine.errors import VitrineError

ENLARGEMENT = 1.75
"""17.9 to 54.8 megapixels."""
TILE = 256
POLL_SECONDS = 0.1
LIMIT_SECONDS = 300

Progress = Callable[[str], None]


def measure_zoomable(
    service: Deployment, scratch: Path, rounds: int, progress: Progress
) -> dict[str, Any]:
    """Upload a 16-bit Adobe RGB photograph `rounds` times; seconds of each, colour of the last.

    Raises VitrineError when the master does not become zoomable.
    """
    progress("making the master")
    master = adobe_rgb_16_bit(ELEPHANTS, scratch / "zoomable.tif", ENLARGEMENT)
    seconds = []
    for number in range(1, rounds + 1):
        seconds.append(_upload_until_zoomable(service, master, f"zoomable-{number}"))
        progress(f"round {number} of {rounds}: {seconds[-1]:.1f} s")
    progress("comparing the full-resolution tiles with the master")
    return {
        "master": master.provenance(),
        "megapixels": round(master.width * master.height / 1e6, 1),
        "master_bytes": master.path.stat().st_size,
        "seconds": [round(value, 2) for value in seconds],
        "median_seconds": round(median(seconds), 2),
        "delta_e_2000": _colour_difference(service, master, f"zoomable-{rounds}"),
    }


def _upload_until_zoomable(service: Deployment, master: MadeMaster, prefix: str) -> float:
    start = time.monotonic()
    identifier = publish(service, master.path, "image/tiff", prefix)
    read_tile(service, identifier, 0, 0, TILE, TILE)
    return time.monotonic() - start


def publish(service: Deployment, path: Path, content_type: str, prefix: str) -> str:
    """Upload a master under a name of its own and wait until it is published; its identifier.

    Raises VitrineError when it is not.
    """
    key = f"{prefix}-{time.time_ns()}{path.suffix}"
    service.masters.upload(path, key, content_type=content_type, metadata={})
    deadline = time.monotonic() + LIMIT_SECONDS
    while not (outcome := service.outcomes.get(key)) or outcome.state == "running":
        if time.monotonic() > deadline:
            raise VitrineError(f"{key} is not published after {LIMIT_SECONDS} s")
        time.sleep(POLL_SECONDS)
    if outcome.state != "published":
        raise VitrineError(f"{key} ended as {outcome.state}: {outcome.sentence}")
    return outcome.identifier


def read_tile(
    service: Deployment, identifier: str, x: int, y: int, width: int, height: int
) -> bytes:
    """Return the JPEG of one full-resolution region through the edge. Raises urllib's HTTPError."""
    url = (
        f"{service.edge_url}/iiif/3/{identifier}"
        f"/{x},{y},{width},{height}/{width},{height}/0/default.jpg"
    )
    with urllib.request.urlopen(url, timeout=60) as response:
        return bytes(response.read())


def _colour_difference(service: Deployment, master: MadeMaster, prefix: str) -> dict[str, float]:
    identifier = _newest(service, prefix)
    pixels = pyvips.Image.new_from_file(str(master.path))

    def one(box: tuple[int, int, int, int]) -> np.ndarray[Any, Any]:
        served = np.asarray(Image.open(io.BytesIO(read_tile(service, identifier, *box))))
        return difference_from_adobe_rgb(pixels.crop(*box).numpy(), served).astype(np.float32)

    with ThreadPoolExecutor(2) as pool:
        values = np.concatenate(
            [tile.ravel() for tile in pool.map(one, _tiles(master.width, master.height))]
        )
    return {
        "mean": round(float(values.mean()), 3),
        "p99": round(percentile(values, 99), 3),
        "max": round(float(values.max()), 3),
        "pixels": len(values),
    }


def _newest(service: Deployment, prefix: str) -> str:
    for image in service.identifiers.newest(10):
        if image.identifier.startswith(prefix):
            return image.identifier
    raise VitrineError(f"no published image starts with {prefix}")


def _tiles(width: int, height: int) -> Iterator[tuple[int, int, int, int]]:
    for y in range(0, height, TILE):
        for x in range(0, width, TILE):
            yield x, y, min(TILE, width - x), min(TILE, height - y)
