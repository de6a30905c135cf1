"""Visitors who look at images in OpenSeadragon, and at pages of thumbnails: a closed loop.

Each has six connections, as a browser has to a host, and thinks before the next view.
"""

import asyncio
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

import uvloop

from loadtest.client.http_client import HttpClient
from loadtest.drills.swarm.swarm_images import SwarmImages
from loadtest.drills.swarm.swarm_requests import viewer_address
from loadtest.workload.answers import Answer
from loadtest.workload.models.index_page import IndexPage
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.request import Model, Step, UserRequest, Visitor, Workload

CONNECTIONS = 6
THUMBNAIL_SIDE = 375
"""A size that the information of the known images lists."""
THUMBNAILS = 12
PAGES = 0.3
"""Part of the visits that are to a page of thumbnails."""
_ARRIVAL_SECONDS = 5.0
"""Time over which visitors arrive, one by one."""
FIRST_VISITOR = 1 << 20
"""Number of the first visitor's address: none of them is one of the swarm's."""


@dataclass
class Visits:
    """The answers that visitors got, and when they began to look."""

    answers: list[Answer] = field(default_factory=list)
    began: float = 0.0
    """Start, by the clock of `Answer.began`."""
    seconds: float = 0.0
    cores: float = 0.0
    """Cores that their process used."""


def visitors_workload(images: SwarmImages, seed: int) -> Workload:
    """Return sessions and pages of thumbnails in turn, by chance."""
    page = IndexPage(thumbnails=THUMBNAILS, side=THUMBNAIL_SIDE)
    return Workload(
        _PagesAndSessions(
            page.bind(images.known, seed), ViewerSession().bind(images.visited, seed)
        ),
        seed,
    )


@dataclass(frozen=True)
class _PagesAndSessions:
    pages: Model
    sessions: Model

    def visit(self, visitor: Visitor) -> Iterable[Step] | None:
        """Return one page or one session."""
        model = self.pages if visitor.random() < PAGES else self.sessions
        return model.visit(visitor)


def look_around(url: str, images: SwarmImages, visitors: int, seconds: float, seed: int) -> Visits:
    """Let visitors look at images for so long, and return what they got."""
    visits = Visits(began=time.perf_counter())
    workload = visitors_workload(images, seed)
    before = os.times()
    uvloop.run(_look_around(url, workload, visitors, seconds, visits))
    after, visits.seconds = os.times(), time.perf_counter() - visits.began
    used = after.user + after.system - before.user - before.system
    visits.cores = used / visits.seconds
    return visits


async def _look_around(
    url: str, workload: Workload, visitors: int, seconds: float, visits: Visits
) -> None:
    end = time.perf_counter() + seconds

    async def visit(number: int) -> None:
        await asyncio.sleep(_ARRIVAL_SECONDS * number / visitors)
        browser = _Browser(url, number, visits)
        await browser.follow(workload.requests(number, visitors), end)

    await asyncio.gather(*(visit(number) for number in range(visitors)))


class _Browser:
    def __init__(self, url: str, number: int, visits: Visits) -> None:
        self._clients = [HttpClient(url) for _ in range(CONNECTIONS)]
        self._fields = f"X-Viewer-Address: {viewer_address(FIRST_VISITOR + number)}\r\n"
        self._visits = visits

    async def follow(self, requests: Iterator[UserRequest], end: float) -> None:
        for _, step in groupby(requests, attrgetter("step")):
            if time.perf_counter() >= end:
                break
            requested = list(step)
            left = iter(requested)
            await asyncio.gather(*(self._request_next(client, left) for client in self._clients))
            pause = min(requested[-1].think_seconds, max(0.0, end - time.perf_counter()))
            await asyncio.sleep(pause)
        for client in self._clients:
            client.close()

    async def _request_next(self, client: HttpClient, left: Iterator[UserRequest]) -> None:
        for request in left:
            self._visits.answers.append(await client.request(request.target, self._fields))
