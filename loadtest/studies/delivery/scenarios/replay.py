"""(g) What Universal Viewer really asked for, on stand-ins of the true sizes: any errors?

The lists are published in the repository IIIF/htj2k (run of 2022-08-16) without a licence, so
they are read from a folder that someone has, and never part of the project.
"""

import csv
import io
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from PIL import Image

from loadtest.client.quick_checks import fault_of
from loadtest.client.response_reader import HttpResponse
from loadtest.client.timed_load import ask_mixed
from loadtest.corpora.blank_pyramids import write_standin
from loadtest.rigs.rig import vitrine_rig
from loadtest.rigs.rivals import PREFIX, iipsrv_rig
from loadtest.studies.delivery.delivery_requests import Ask
from loadtest.studies.delivery.delivery_stage import Stage, started

REQUESTS, SIZES = "uv_urls.txt", "dimensions.csv"
LABEL = "replayed Universal Viewer requests"
CONNECTIONS = 4


def measure_replay(stage: Stage) -> dict[str, Any]:
    """Failures among the requests. Not in rounds; left out when the lists are not there."""
    lists = stage.request_lists
    if lists is None or not (lists / REQUESTS).exists():
        stage.progress(f"{LABEL}: left out, no folder with {REQUESTS}")
        return {"rows": [], "checks": [], "left_out": f"no folder with {REQUESTS} was named"}
    rows = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-")))
        count = _write_standins(lists / SIZES, folder)
        asks = read_asks(lists / REQUESTS)
        stage.progress(f"{LABEL}: {len(asks)} requests on {count} stand-ins")
        for rig in started(stack, [vitrine_rig(folder), iipsrv_rig(folder)]):
            figures = ask_mixed(rig, asks, CONNECTIONS, replay_fault_of)
            rows.append({"label": LABEL, "bed": rig.name, "round": 1} | figures)
    return {"rows": rows, "checks": []}


def read_asks(path: Path) -> list[Ask]:
    """Lines of `<file>/<region>/<size>/<rotation>/<quality>.<format>` or `<file>/info.json`."""
    asks = []
    for line in path.read_text().split():
        kind = "info.json" if line.endswith("/info.json") else "image"
        asks.append(Ask(kind, f"/{PREFIX}/{line}"))
    return asks


def replay_fault_of(ask: Ask, response: HttpResponse) -> str:
    """As the quick look; an image must also be as wide as was asked."""
    fault = fault_of(ask, response)
    if fault or ask.kind == "info.json":
        return fault
    wanted = ask.path.split("/")[5].partition(",")[0]
    with Image.open(io.BytesIO(response.body)) as image:
        if wanted.isdigit() and image.width != int(wanted):
            return f"it is {image.width} pixels wide"
    return ""


def _write_standins(sizes: Path, folder: Path) -> int:
    with sizes.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        write_standin(folder / f"{row['id']}.tif", int(row["width"]), int(row["height"]))
    return len(rows)
