"""Viewer sessions sent twice through the edge: what reaches the origin the second time?"""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from loadtest.client.http_client import check_quickly
from loadtest.client.response_reader import HttpResponse
from loadtest.client.rig_load import send_to_rig
from loadtest.corpora.blank_pyramids import write_standin
from loadtest.rigs.edge_rig import EdgeRig
from loadtest.studies.delivery.scenarios.replay import read_targets
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.request import Workload
from loadtest.workload.target import Target

CONNECTIONS = 6
"""As many as a browser opens to one host."""
NOT_FROM_THE_ORIGIN = ("HIT", "STALE", "UPDATING", "FUNCTION", "EDGE")
REQUESTS, SIZES = "uv_urls.txt", "dimensions.csv"
SEED = 6
CATALOGUE = ((1_900, 2_500), (4_000, 6_000), (11_608, 8_708), (7_216, 5_412), (900, 1_200))
"""Widths and heights of the sessions' images, from a postcard to a large camera."""


def write_catalogue(folder: Path) -> Catalogue:
    """Write stand-ins for the images of sessions, alternately of version 3 and 2."""
    images = []
    for number, (width, height) in enumerate(CATALOGUE):
        name = f"image-{number}.tif"
        write_standin(folder / name, width, height)
        images.append(Image(name, width, height, version=3 - number % 2))
    return Catalogue.of(images)


def sessions(catalogue: Catalogue, visits: int) -> list[Target]:
    """Return the requests of `visits` viewer sessions, one after the other."""
    workload = Workload(ViewerSession().bind(catalogue, SEED), SEED)
    requests = (request for number in range(visits) for request in workload.visit(number))
    return [
        Target("info.json" if item.kind == "info" else item.kind, item.path) for item in requests
    ]


def write_published(lists: Path, folder: Path) -> list[Target]:
    """Stand-ins for the images of the published requests, and those requests."""
    with (lists / SIZES).open(newline="") as file:
        for row in csv.DictReader(file):
            write_standin(folder / f"{row['id']}.tif", int(row["width"]), int(row["height"]))
    return read_targets(lists / REQUESTS)


def with_noise(targets: Iterable[Target]) -> list[Target]:
    """Return each request with another query, as cache busters and trackers add them."""
    return [
        Target(target.kind, f"{target.path}?t={number}")
        for number, target in enumerate(targets, 123)
    ]


def replay(rig: EdgeRig, label: str, targets: Sequence[Target]) -> list[dict[str, Any]]:
    """Asked once, once more, and once more with queries; a row each."""
    turns = {"first": list(targets), "second": list(targets), "with queries": with_noise(targets)}
    return [
        {"label": label, "turn": turn, "different": len({target.path for target in targets})}
        | _replay_turn(rig, turn_asks)
        for turn, turn_asks in turns.items()
    ]


def _replay_turn(rig: EdgeRig, targets: Sequence[Target]) -> dict[str, Any]:
    states: Counter[str] = Counter()

    def look(target: Target, response: HttpResponse) -> str:
        states[response.headers.get("x-cache", "none")] += 1
        return check_quickly(target, response)

    figures = send_to_rig(rig.edge, targets, CONNECTIONS, look)
    crossed = sum(number for state, number in states.items() if state not in NOT_FROM_THE_ORIGIN)
    return {
        "requests": figures["requests"],
        "failures": figures["failures"],
        "failed": figures["failed"],
        "states": dict(states),
        "origin_requests": crossed,
        "hit_percent": round(100 * (1 - crossed / len(targets)), 2),
    }
