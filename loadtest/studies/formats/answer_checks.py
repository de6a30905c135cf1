"""Every different request once, before anything is measured: are the pixels right?"""

import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

from loadtest.client.user_load import Progress
from loadtest.studies.formats.encoded_pyramid import Pixels
from loadtest.studies.formats.format_encoders import FORMATS
from loadtest.studies.formats.format_requests import Ask, targets
from loadtest.studies.formats.picture_match import wrong_pixels
from loadtest.workload.answers import fault_of
from loadtest.workload.target import Target

_TIMEOUT_SECONDS = 300


def checked(
    url: str, format_: str, asks: Sequence[Ask], pictures: Mapping[str, Pixels], progress: Progress
) -> list[dict[str, Any]]:
    """A row for each kind: how many answers are wrong, and the first of them. It warms, too:
    files come into the memory of the machine. `url` is scheme and host."""
    different = list(dict.fromkeys(asks))
    rows: dict[str, dict[str, Any]] = {}
    faults = 0
    wanted = targets(different, FORMATS[format_])
    for count, (ask, target) in enumerate(zip(different, wanted, strict=True), 1):
        fault = _fault(url, target, pictures[ask.picture.name])
        row = rows.setdefault(
            ask.kind, {"kind": ask.kind, "requests": 0, "wrong": 0, "example": None}
        )
        row["requests"] += 1
        if fault:
            faults += 1
            row["wrong"] += 1
            row["example"] = row["example"] or {"path": target.path, "fault": fault}
        progress(count, faults)
    return list(rows.values())


def _fault(url: str, target: Target, picture: Pixels) -> str:
    try:
        with urllib.request.urlopen(url + target.path, timeout=_TIMEOUT_SECONDS) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            status, body = response.status, response.read()
    except urllib.error.HTTPError as error:
        error.close()
        return f"status {error.code}"
    except OSError as error:
        return f"{type(error).__name__}: {error}"
    return fault_of(target, status, headers, body) or wrong_pixels(target, body, picture)
