"""Many clients request one cold image: none fails, and S3 is read once."""

import json
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loadtest.corpora.photographs import ELEPHANTS
from loadtest.drills.zoomable import TILE, Progress, publish
from loadtest.figures.order_statistics import median
from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.local_service import LocalService
from vitrine.errors import VitrineError
from vitrine.local.debian_files import fetch

JPEG_START = b"\xff\xd8\xff"


def measure_cold(
    service: Deployment, clients: int, rounds: int, progress: Progress
) -> dict[str, Any]:
    """Per round a fresh image, and `clients` different tiles of it at once from the origin.

    The edge is left out, because it would collapse equal requests. Raises VitrineError when the
    service is not the one on this machine, whose gateway log is counted.
    """
    local = LocalService.load()
    if local is None or not service.origin_url:
        raise VitrineError(
            "`vitrine-loadtest drill cold-clients` needs the service on this machine: `make up`"
        )
    log = Path(local.logs) / "gateway.log"
    photograph = fetch(ELEPHANTS)
    failures, fetches, seconds = [], [], []
    for number in range(1, rounds + 1):
        identifier = publish(service, photograph, "image/jpeg", f"cold-{number}")
        start = time.monotonic()
        failures.append(_ask_at_once(service.origin_url, identifier, clients))
        seconds.append(round(time.monotonic() - start, 3))
        fetches.append(_fetches(log, identifier))
        progress(f"round {number} of {rounds}: {failures[-1]} failed, {fetches[-1]} fetched")
    return {
        "image": f"{ELEPHANTS.name} of {ELEPHANTS.package} (SHA-256 {ELEPHANTS.sha256})",
        "clients": clients,
        "failed_requests": failures,
        "fetches_from_s3": fetches,
        "seconds_until_all_answered": seconds,
        "median_seconds": median(seconds),
    }


def _ask_at_once(origin_url: str, identifier: str, clients: int) -> int:
    """Return how many of `clients` requests, released together, did not get their tile."""
    barrier = threading.Barrier(clients)

    def ask(number: int) -> bool:
        box = f"{number % 10 * TILE},{number // 10 * TILE},{TILE},{TILE}"
        url = f"{origin_url}/iiif/3/{identifier}/{box}/{TILE},{TILE}/0/default.jpg"
        barrier.wait()
        try:
            with urllib.request.urlopen(url, timeout=120) as response:
                return bool(response.read().startswith(JPEG_START))
        except (urllib.error.URLError, OSError):
            return False

    with ThreadPoolExecutor(clients) as pool:
        return clients - sum(pool.map(ask, range(clients)))


def _fetches(log: Path, identifier: str) -> int:
    """Return how often the gateway logged a fetch of this image's access master."""
    records = (json.loads(line) for line in log.read_text().splitlines() if '"fetched ' in line)
    return sum(f"/{identifier}/" in record["message"] for record in records)
