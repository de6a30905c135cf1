"""(g) Requests that Universal Viewer really sent, on stand-ins of the true sizes: any errors?

The lists are published in the repository IIIF/htj2k (run of 2022-08-16) without a licence, so
they are read from a folder of the user's, and are no part of the project.
"""

import csv
import io
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from PIL import Image

from loadtest.client.http_client import check_quickly
from loadtest.client.response_reader import HttpResponse
from loadtest.client.rig_load import send_to_rig
from loadtest.corpora.blank_pyramids import write_standin
from loadtest.rigs.rig import vitrine_rig
from loadtest.rigs.rivals import PREFIX, iipsrv_rig
from loadtest.studies.delivery.delivery_stage import Stage, start_rigs
from loadtest.workload.target import Target

REQUESTS, SIZES = "uv_urls.txt", "dimensions.csv"
LABEL = "replayed Universal Viewer requests"
CONNECTIONS = 4


def measure_replay(stage: Stage) -> dict[str, Any]:
    """Count failures among the requests, in one round; left out without the lists."""
    lists = stage.request_lists
    if lists is None or not (lists / REQUESTS).exists():
        stage.progress(f"{LABEL}: left out, no folder with {REQUESTS}")
        return {"rows": [], "checks": [], "left_out": f"no folder with {REQUESTS} was named"}
    rows = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vitrine-")))
        count = _write_standins(lists / SIZES, folder)
        targets = read_targets(lists / REQUESTS)
        stage.progress(f"{LABEL}: {len(targets)} requests on {count} stand-ins")
        for rig in start_rigs(stack, [vitrine_rig(folder), iipsrv_rig(folder)]):
            figures = send_to_rig(rig, targets, CONNECTIONS, check_replayed)
            rows.append({"label": LABEL, "bed": rig.name, "round": 1} | figures)
    return {"rows": rows, "checks": []}


def read_targets(path: Path) -> list[Target]:
    """Read lines: `<file>/<region>/<size>/<rotation>/<quality>.<format>`, `<file>/info.json`."""
    targets = []
    for line in path.read_text().split():
        kind = "info.json" if line.endswith("/info.json") else "image"
        targets.append(Target(kind, f"/{PREFIX}/{line}"))
    return targets


def check_replayed(target: Target, response: HttpResponse) -> str:
    """Check an answer quickly; an image must also be as wide as requested."""
    fault = check_quickly(target, response)
    if fault or target.kind == "info.json":
        return fault
    width = target.path.split("/")[5].partition(",")[0]
    with Image.open(io.BytesIO(response.body)) as image:
        if width.isdigit() and image.width != int(width):
            return f"it is {image.width} pixels wide"
    return ""


def _write_standins(sizes: Path, folder: Path) -> int:
    with sizes.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        write_standin(folder / f"{row['id']}.tif", int(row["width"]), int(row["height"]))
    return len(rows)
