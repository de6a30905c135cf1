"""The viewer-request function in V8, all events in one process."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.unit.edge.edge_vectors import FUNCTIONS
from vitrine.edge.functions import VIEWER_REQUEST

RUNNER = Path(__file__).with_name("run_function.js")
Event = dict[str, Any]


def event(method: str, uri: str, accept: str | None = None) -> Event:
    """CloudFront's event of a request; what follows a question mark becomes its query."""
    path, _, query = uri.partition("?")
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    return {
        "version": "1.0",
        "viewer": {"ip": "192.0.2.1"},
        "request": {
            "method": method,
            "uri": path,
            "querystring": {name: {"value": value} for name, _, value in pairs},
            "headers": {
                "host": {"value": "images.example.org"},
                **({} if accept is None else {"accept": {"value": accept}}),
            },
            "cookies": {},
        },
    }


def run_function(
    events: list[Event], files: tuple[str, ...] = VIEWER_REQUEST, folder: Path = FUNCTIONS
) -> list[dict[str, Any]]:
    """What the function returns for each: a request to be passed on, or a response."""
    done = subprocess.run(
        ["node", RUNNER, *(folder / name for name in files)],
        input=json.dumps(events),
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def rewritten(paths: list[str]) -> list[str]:
    """What the function makes of each; fails where it answers itself."""
    return [answer["uri"] for answer in run_function([event("GET", path) for path in paths])]
