"""Many spellings of one request: which of them cost the origin another request?"""

import http.client
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loadtest.corpora.blank_pyramids import write_standin
from loadtest.rigs.edge_rig import EdgeRig
from loadtest.studies.edge.session_replay import NOT_FROM_THE_ORIGIN

NAME = "spelt (1) é.tif"
WIDTH, HEIGHT = 1_300, 1_000
_PLAIN = "spelt%20%281%29%20%C3%A9.tif"
_LOG_SECONDS = 1.5
"""Longer than nginx keeps lines of its log to itself."""


@dataclass(frozen=True)
class Spelling:
    """Another way to write `usual`. `known`: the function can tell that it is one."""

    usual: str
    written: str
    what: str
    known: bool
    method: str = "GET"


def _all() -> list[Spelling]:
    whole = f"/iiif/3/{_PLAIN}/full/max/0/default.jpg"
    whole_2 = f"/iiif/2/{_PLAIN}/full/full/0/default.jpg"
    tile = f"/iiif/3/{_PLAIN}/256,512,256,256/256,256/0/default.jpg"
    part = f"/iiif/3/{_PLAIN}/10,20,640,480/320,240/90/gray.png"
    info = f"/iiif/3/{_PLAIN}/info.json"

    def known(usual: str, old: str, new: str, what: str) -> Spelling:
        return Spelling(usual, usual.replace(old, new, 1), what, known=True)

    def unknown(usual: str, old: str, new: str, what: str) -> Spelling:
        return Spelling(usual, usual.replace(old, new, 1), what, known=False)

    return [
        known(whole, ".jpg", ".jpg?t=123", "a query"),
        known(whole, ".jpg", ".jpg?utm_source=a&x=%2e%2e", "a tracker's query"),
        known(info, ".json", ".json?nocache=1", "a query on the information"),
        replace(known(whole, "", "", "HEAD"), method="HEAD"),
        known(whole, ".jpg", ".jpg/", "a slash at the end"),
        known(whole, "%C3%A9", "%c3%a9", "escapes in small letters"),
        known(whole, "%281%29", "(1)", "signs left unescaped"),
        known(whole, "spelt", "%73p%65lt", "letters escaped"),
        known(whole, "full/max", "%66ull/m%61x", "parameters escaped"),
        known(tile, "256,512,256,256", "256%2C512%2C256%2C256", "commas escaped"),
        known(whole, "/full/", "/pct:0,0,100,100/", "`pct:0,0,100,100` for `full`"),
        known(whole, "/full/", "/pct:0.0,0,100.00,120/", "more than all of it, in decimals"),
        known(part, "10,20,640,480", "010,0020,640,480", "zeros before numbers"),
        known(part, "/90/", "/90.0/", "a turn by 90.0"),
        known(whole, "/0/", "/360/", "a full turn"),
        known(whole, "/0/", "/0.0/", "no turn, in decimals"),
        known(whole, "default", "color", "`color` for `default`"),
        known(whole_2, "/full/0", "/pct:100/0", "version 2: `pct:100` for `full`"),
        known(whole_2, "/full/0", "/pct:100.0/0", "version 2: `pct:100.0`"),
        unknown(whole, "/full/", f"/0,0,{WIDTH},{HEIGHT}/", "the pixel region for `full`"),
        unknown(whole, "/max/", f"/{WIDTH},/", "`w,` for `max`"),
        unknown(whole, "/max/", f"/!{WIDTH},{HEIGHT}/", "`!w,h` for `max`"),
        unknown(whole, "/max/", "/pct:100/", "version 3: `pct:100` for `max`, which has a limit"),
        unknown(part, "/320,240/", "/320,/", "`w,` for `w,h`"),
        unknown(part, "/320,240/", "/!320,240/", "`!w,h` for `w,h`"),
        unknown(part, "/320,240/", "/pct:50/", "`pct:50` for `w,h`"),
        unknown(tile, "/256,256/", "/256,/", "a tile's `w,` for `w,h`"),
        unknown(info, "%C3%A9", "e%CC%81", "the other Unicode form of é"),
    ]


def write_image(folder: Path) -> None:
    """Write the image that all spellings name."""
    write_standin(folder / NAME, WIDTH, HEIGHT)


def measure_spellings(rig: EdgeRig) -> list[dict[str, Any]]:
    """Return a row per spelling: did the request reach the origin again, and was it rendered again?

    Each usual address is requested first, then every other way to write it, each once.
    """
    spellings = _all()
    usual = {item.usual: _send(rig.port, item.usual) for item in spellings}
    rows = []
    for item in spellings:
        status, state, body = _send(rig.port, item.written, item.method)
        same = item.method == "HEAD" or body == usual[item.usual][2]
        rows.append(
            {
                "what": item.what,
                "written": item.written,
                "usual": item.usual,
                "known": item.known,
                "status": status,
                "state": state,
                "same_bytes": same,
                "origin_requests": int(state not in NOT_FROM_THE_ORIGIN),
            }
        )
    made = _made(rig)
    for row in rows:
        kept = made.get(str(row["written"]), "")
        row["derivative_cache"] = kept
        row["rendered_again"] = bool(row["origin_requests"]) and kept == "MISS"
    return rows


def _send(port: int, path: str, method: str = "GET") -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.headers.get("X-Cache") or "", response.read()
    finally:
        connection.close()


def _made(rig: EdgeRig) -> dict[str, str]:
    """Return by address, from the origin's log, whether its cache of derivatives had it."""
    time.sleep(_LOG_SECONDS)
    (front,) = [item for item in rig.origin.running if item.name == "nginx"]
    lines = Path(front.log).read_text().splitlines()
    entries = [json.loads(line) for line in lines if line.startswith("{")]
    return {entry["uri"]: entry["cache"] for entry in entries}
