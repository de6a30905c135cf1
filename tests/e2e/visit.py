"""A visit to the page: what was asked for, and what the browser complained of."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Page, Request, Response

TILE = re.compile(r"/iiif/3/[^/]+/(?:\d+,\d+,(\d+),\d+|full)/(\d+),\d*/0/default\.jpg$")
TILES_SECONDS = 90


@dataclass
class Visit:
    """A page and all that it asked for and complained of."""

    page: Page
    responses: list[Response] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("response", lambda response: self.responses.append(response))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", self._note_failure)
        self.page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text)
                if message.type in ("error", "warning")
                else None
            ),
        )

    def _note_failure(self, request: Request) -> None:
        """Note a request that failed, unless the page gave up what it needs no more.

        The picture in the page is that, where the viewer has drawn over it first, and a search in
        texts, a check of what is typed at the desk or the page's icon, where somebody goes on
        before it is answered.
        """
        is_left = "/inside/" in request.url or request.url.endswith(("/icon.svg", "/api/previews"))
        is_needless = request.resource_type == "image" or is_left
        if not is_needless or request.failure != "net::ERR_ABORTED":
            self.complaints.append(request.url)

    def tile_scales(self) -> set[int]:
        """The scale factors of which a tile arrived with 200."""
        scales = set()
        for response in self.responses:
            tile = TILE.search(response.url)
            if tile and tile[1] and response.status == 200:
                ratio = int(tile[1]) / int(tile[2])
                scales.add(2 ** round(ratio).bit_length() // 2)
        return scales

    def wait_for_tiles(self) -> None:
        """Wait until a part of an image or a whole one has arrived."""
        self.wait_until(
            lambda: any(TILE.search(one.url) and one.status == 200 for one in self.responses)
        )

    def wait_for_scales(self, condition: Callable[[set[int]], bool]) -> None:
        """Wait until the scale factors of the tiles that arrived are such."""
        self.wait_until(lambda: condition(self.tile_scales()))

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait for what the requests of the page bring about."""
        deadline = time.monotonic() + TILES_SECONDS
        while not condition():
            assert time.monotonic() < deadline, [one.url for one in self.responses]
            self.page.wait_for_timeout(100)

    def hosts(self) -> set[str]:
        return {urlsplit(response.url).netloc for response in self.responses}


OpenPage = Callable[..., Visit]
