"""Thumbnails of the newest images, embedded in a page that loads nothing."""

import http.client
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

BOUND = 400
"""Pixels; the size that the gallery asks for first (site/app.js), so that the edge has it."""
MAX_BYTES = 200_000
SECONDS = 3
AT_ONCE = 12
JPEG_STARTS = b"\xff\xd8\xff"


def thumbnail_url(edge_url: str, image: Mapping[str, Any]) -> str:
    """Return its address at the edge: version 3 of the Image API, which does not enlarge."""
    fits = f"!{BOUND},{BOUND}" if max(image["width"], image["height"]) > BOUND else "max"
    base = f"{edge_url}/iiif/3/{quote(image['identifier'], safe=':')}"
    return f"{base}/full/{fits}/0/default.jpg"


def fetch(url: str) -> bytes:
    """Return a JPEG file, or b"" if there is no answer, no JPEG, or a large one."""
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            body: bytes = answer.read(MAX_BYTES + 1)
    except (OSError, http.client.HTTPException, ValueError):
        return b""
    return body if body.startswith(JPEG_STARTS) and len(body) <= MAX_BYTES else b""


class Thumbnails:
    """Each thumbnail is fetched once, and dropped when it is no longer requested."""

    def __init__(self, fetch_one: Callable[[str], bytes] = fetch) -> None:
        self._fetch = fetch_one
        self._kept: dict[tuple[str, str], bytes] = {}

    def of(self, edge_url: str, images: Iterable[Mapping[str, Any]]) -> dict[str, bytes]:
        """Return JPEG files by identifier, less those that the edge does not send in time."""
        requested = {(image["identifier"], image["published_at"]): image for image in images}
        missing = [name for name in requested if name not in self._kept]
        urls = [thumbnail_url(edge_url, requested[name]) for name in missing]
        with ThreadPoolExecutor(AT_ONCE) as threads:
            fetched = dict(zip(missing, threads.map(self._fetch, urls), strict=True))
        known = self._kept | {name: body for name, body in fetched.items() if body}
        self._kept = {name: body for name, body in known.items() if name in requested}
        return {identifier: body for (identifier, _), body in self._kept.items()}
