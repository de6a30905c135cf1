"""Lines of both logs, as made up for tests: who, when, what."""

import json
from typing import Any

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"
DAY = "2026-11-28"


def cloudfront(path: str, time: str = "10:00:00", **fields: Any) -> bytes:
    """Return a line of standard logging v2; `fields` replace others, by their names in the log."""
    line = {
        "date": DAY,
        "time": time,
        "c-ip": "192.0.2.1",
        "c-country": "DE",
        "cs-method": "GET",
        "cs-uri-stem": path,
        "sc-status": "200",
        "cs(User-Agent)": BROWSER.replace(" ", "%20"),
        "x-edge-location": "FRA60-P1",
    }
    return json.dumps(line | fields).encode()


def nginx(path: str, time: str = "10:00:00", *, address: str = "192.0.2.1", **rest: str) -> bytes:
    """Return a line of the edge on one machine."""
    values = {"day": DAY, "offset": "+00:00", "status": "200", "agent": BROWSER} | rest
    return (
        f'{address} [{values["day"]}T{time}{values["offset"]}] "GET {path} HTTP/1.1" '
        f'{values["status"]} 900 "{values["agent"]}" MISS 1-0a1b2c3d-0123456789'
    ).encode()
