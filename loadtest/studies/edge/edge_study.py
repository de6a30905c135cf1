"""The edge before our image task: what share of requests crosses it."""

import tempfile
from pathlib import Path
from typing import Any

from loadtest.corpora.access_masters import Progress
from loadtest.rigs.edge_rig import edge_rig
from loadtest.studies.edge.session_replay import (
    CATALOGUE,
    REQUESTS,
    SEED,
    replay,
    sessions,
    write_catalogue,
    write_published,
)
from loadtest.studies.edge.spellings import measure_spellings, write_image
from vitrine.errors import VitrineError

LEAST_HIT_PERCENT = 95.0
"""Promised of a replay."""
DERIVATIVE_CACHE = {"VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "256"}


def measure_edge(visits: int, request_lists: Path | None, progress: Progress) -> dict[str, Any]:
    """Replay sessions, published requests, and spellings of one request.

    Raises VitrineError where `request_lists` has no lists, and when a server does not start.
    """
    if request_lists and not (request_lists / REQUESTS).exists():
        raise VitrineError(f"{request_lists} holds no {REQUESTS}")
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        masters = Path(folder)
        progress("writing stand-ins")
        lists = {f"{visits} viewer sessions": sessions(write_catalogue(masters), visits)}
        if request_lists:
            lists["published Universal Viewer requests"] = write_published(request_lists, masters)
        write_image(masters)
        rows = []
        with edge_rig(masters, **DERIVATIVE_CACHE) as rig:
            for label, targets in lists.items():
                progress(f"{label}: {len(targets)} requests, three times")
                rows += replay(rig, label, targets)
            progress("spellings of one request")
            spellings = measure_spellings(rig)
    return {
        "seed": SEED,
        "images_of_sessions": [list(size) for size in CATALOGUE],
        "least_hit_percent": LEAST_HIT_PERCENT,
        "replays": rows,
        "spellings": spellings,
    }


def broken(figures: dict[str, Any]) -> list[str]:
    """Return a sentence for each broken promise."""
    sentences = [
        f"{row['label']}, {row['turn']}: {row['hit_percent']} % hits"
        for row in figures["replays"]
        if row["turn"] != "first" and row["hit_percent"] < figures["least_hit_percent"]
    ]
    sentences += [
        f"{row['label']}, {row['turn']}: {row['failures']} failures, as {row['failed'][:1]}"
        for row in figures["replays"]
        if row["failures"]
    ]
    for row in figures["spellings"]:
        if row["status"] != 200 or not row["same_bytes"]:
            sentences.append(f"{row['what']}: another answer, {row['status']}")
        if row["known"] and row["origin_requests"]:
            sentences.append(f"{row['what']}: the request reached the origin again")
    return sentences
