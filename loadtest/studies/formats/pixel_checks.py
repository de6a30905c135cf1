"""A check of the pixels: every different request once, before anything is measured."""

import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from loadtest.client.user_load import Progress
from loadtest.studies.formats.encoded_pyramid import Pixels
from loadtest.studies.formats.format_encoders import FORMATS
from loadtest.studies.formats.format_requests import PictureRequest, format_targets
from loadtest.studies.formats.picture_match import wrong_pixels
from loadtest.workload.answers import find_fault
from loadtest.workload.target import Target

_TIMEOUT_SECONDS = 300


def check_pixels(
    url: str,
    format_: str,
    requests: Sequence[PictureRequest],
    pictures: Mapping[str, Pixels],
    progress: Progress,
) -> list[dict[str, Any]]:
    """Return a row for each kind: how many answers are wrong, and the first of them.

    This also brings the files into the machine's memory. `url` is scheme and host."""
    different = list(dict.fromkeys(requests))
    rows: dict[str, dict[str, Any]] = {}
    faults = 0
    listed = format_targets(different, FORMATS[format_])
    for count, (request, target) in enumerate(zip(different, listed, strict=True), 1):
        fault = _find_fault(url, target, pictures[request.picture.name])
        row = rows.setdefault(
            request.kind, {"kind": request.kind, "requests": 0, "wrong": 0, "example": None}
        )
        row["requests"] += 1
        if fault:
            faults += 1
            row["wrong"] += 1
            row["example"] = row["example"] or {"path": target.path, "fault": fault}
        progress(count, faults)
    return list(rows.values())


def _find_fault(url: str, target: Target, picture: Pixels) -> str:
    try:
        with urllib.request.urlopen(url + target.path, timeout=_TIMEOUT_SECONDS) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            status, body = response.status, response.read()
    except urllib.error.HTTPError as error:
        error.close()
        return f"status {error.code}"
    except OSError as error:
        return f"{type(error).__name__}: {error}"
    return find_fault(target, status, headers, body) or wrong_pixels(target, body, picture)
