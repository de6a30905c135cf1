"""The gateway's answers for each master: `info.json`, and a tile checked pixel by pixel."""

import http.client
import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

import pyvips

from loadtest.drills.ingest.drill_audit import Promise, expected_identifier
from loadtest.drills.ingest.drill_ledger import KeyHistory
from loadtest.drills.ingest.drill_masters import Colour, DrillPicture
from vitrine.records import Gone, Live, Record

TILE = 256
TOLERANCE = 8
"""Tolerance for each channel, of 255: the error of a flat colour after one or two JPEGs."""
_SECONDS = 30
_AT_ONCE = 4


def check_gateway(
    origin_url: str, records: Mapping[str, Record], histories: Sequence[KeyHistory]
) -> Promise:
    """Ask for every master's image. What must come follows from its record, colours included.

    First wait until each new version has taken the place of the one before it.
    """
    time.sleep(max(0.0, _seconds_until_switched(records.values(), datetime.now(UTC))))
    promise = Promise("the gateway answers info.json and a tile as expected")
    images = [history for history in histories if not history.key.endswith("/")]

    def look(history: KeyHistory) -> str:
        record = records.get(expected_identifier(history))
        try:
            return _find_problem(origin_url, expected_identifier(history), history, record)
        except (OSError, http.client.HTTPException, ValueError, pyvips.Error) as error:
            return repr(error)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for history, problem in zip(images, pool.map(look, images), strict=True):
            promise.check(history.key, problem)
    return promise


def _seconds_until_switched(records: Iterable[Record], now: datetime) -> float:
    waits = (
        (datetime.fromisoformat(record.holds_from) - now).total_seconds()
        for record in records
        if isinstance(record, Live) and record.holds_from
    )
    return max(waits, default=0.0)


def _find_problem(origin_url: str, name: str, history: KeyHistory, record: Record | None) -> str:
    base = f"/iiif/3/{quote(name, safe='')}"
    with _connect_gateway(origin_url) as connection:
        status, body = _get_path(connection, f"{base}/info.json")
        if not isinstance(record, Live):
            expected = 410 if isinstance(record, Gone) else 404
            return "" if status == expected else f"info.json: {status}, not {expected}"
        if status != 200:
            return f"info.json: {status}"
        info = json.loads(body)
        if (info["width"], info["height"]) != (record.width, record.height):
            return f"info.json: {info['width']} x {info['height']}"
        width, height = min(TILE, record.width), min(TILE, record.height)
        status, body = _get_path(
            connection, f"{base}/0,0,{width},{height}/{width},{height}/0/default.jpg"
        )
    if status != 200:
        return f"tile: {status}"
    return (
        ""
        if shows_picture(body, record, history)
        else "tile: the colours are of no version allowed"
    )


def shows_picture(tile: bytes, record: Live, history: KeyHistory) -> bool:
    """Return True if the first tile has the four colours of the master's last picture."""
    picture = history.last if isinstance(history.last, DrillPicture) else None
    allowed = [picture] if picture else history.pictures
    image = pyvips.Image.new_from_buffer(tile, "")
    return any(_matches_size(image, record, one) for one in allowed)


def _matches_size(tile: pyvips.Image, record: Live, picture: DrillPicture) -> bool:
    places = [(x, y) for y in (1, 3) for x in (1, 3)]
    for (x, y), colour in zip(places, picture.colours, strict=True):
        found = tile.getpoint(record.width * x // 4, record.height * y // 4)
        if not _is_close(found, colour):
            return False
    return (record.width, record.height) == (picture.width, picture.height)


def _is_close(found: Sequence[float], colour: Colour) -> bool:
    return all(abs(one - other) <= TOLERANCE for one, other in zip(found, colour, strict=True))


@contextmanager
def _connect_gateway(origin_url: str) -> Iterator[http.client.HTTPConnection]:
    address = urlsplit(origin_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=_SECONDS)
    try:
        yield connection
    finally:
        connection.close()


def _get_path(connection: http.client.HTTPConnection, path: str) -> tuple[int, bytes]:
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.read()
