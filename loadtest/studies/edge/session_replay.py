"""Viewer sessions, asked twice through the edge: what does the origin see the second time?"""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from loadtest.client.quick_checks import fault_of
from loadtest.client.response_reader import HttpResponse
from loadtest.client.timed_load import ask_mixed
from loadtest.corpora.blank_pyramids import write_standin
from loadtest.rigs.edge_rig import EdgeRig
from loadtest.studies.delivery.delivery_requests import Ask
from loadtest.studies.delivery.scenarios.replay import read_asks
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.request import Workload

CONNECTIONS = 6
"""As many as a browser opens to one host."""
NOT_FROM_THE_ORIGIN = ("HIT", "STALE", "UPDATING", "FUNCTION", "EDGE")
REQUESTS, SIZES = "uv_urls.txt", "dimensions.csv"
SEED = 6
CATALOGUE = ((1_900, 2_500), (4_000, 6_000), (11_608, 8_708), (7_216, 5_412), (900, 1_200))
"""Widths and heights of the images that sessions are about, from a postcard to a large camera."""


def write_catalogue(folder: Path) -> Catalogue:
    """Stand-ins for the images of sessions; in turn of version 3 and 2."""
    images = []
    for number, (width, height) in enumerate(CATALOGUE):
        name = f"image-{number}.tif"
        write_standin(folder / name, width, height)
        images.append(Image(name, width, height, version=3 - number % 2))
    return Catalogue.of(images)


def sessions(catalogue: Catalogue, visits: int) -> list[Ask]:
    """What `visits` viewer sessions ask for, one after the other."""
    workload = Workload(ViewerSession().bind(catalogue, SEED), SEED)
    requests = (request for number in range(visits) for request in workload.visit(number))
    return [Ask("info.json" if item.kind == "info" else item.kind, item.path) for item in requests]


def write_published(lists: Path, folder: Path) -> list[Ask]:
    """Stand-ins for the images of the published requests, and those requests."""
    with (lists / SIZES).open(newline="") as file:
        for row in csv.DictReader(file):
            write_standin(folder / f"{row['id']}.tif", int(row["width"]), int(row["height"]))
    return read_asks(lists / REQUESTS)


def with_noise(asks: Iterable[Ask]) -> list[Ask]:
    """Each with another query, as cache busters and trackers add them."""
    return [Ask(ask.kind, f"{ask.path}?t={number}") for number, ask in enumerate(asks, 123)]


def replay(rig: EdgeRig, label: str, asks: Sequence[Ask]) -> list[dict[str, Any]]:
    """Asked once, once more, and once more with queries; a row each."""
    turns = {"first": list(asks), "second": list(asks), "with queries": with_noise(asks)}
    return [
        {"label": label, "turn": turn, "different": len({ask.path for ask in asks})}
        | _ask(rig, turn_asks)
        for turn, turn_asks in turns.items()
    ]


def _ask(rig: EdgeRig, asks: Sequence[Ask]) -> dict[str, Any]:
    states: Counter[str] = Counter()

    def look(ask: Ask, response: HttpResponse) -> str:
        states[response.headers.get("x-cache", "none")] += 1
        return fault_of(ask, response)

    figures = ask_mixed(rig.edge, asks, CONNECTIONS, look)
    crossed = sum(number for state, number in states.items() if state not in NOT_FROM_THE_ORIGIN)
    return {
        "requests": figures["requests"],
        "failures": figures["failures"],
        "failed": figures["failed"],
        "states": dict(states),
        "origin_requests": crossed,
        "hit_percent": round(100 * (1 - crossed / len(asks)), 2),
    }
