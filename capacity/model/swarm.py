"""A swarm next to the visits: each request costs as much as an address can, and none comes twice.

The same kinds, in the same shares, as those of `vitrine-loadtest drill swarm`.
"""

from collections.abc import Iterator
from itertools import count
from random import Random

from capacity.engine.clock import MILLISECOND, Clock, to_nanoseconds
from capacity.engine.streams import draw_exponential, make_chooser
from capacity.model.cost_profile import CLASSES, INFO, CostProfile
from capacity.model.day_outcome import SwarmCounts
from capacity.model.edge_caches import Edge
from capacity.model.fleet import TaskFleet
from capacity.model.image_collection import ImageCollection
from capacity.model.image_task import EdgeJob
from capacity.model.render_work import AT_ONCE
from capacity.model.request_demand import Reader, RequestDemand
from loadtest.drills.swarm.swarm_mix import (
    COLD,
    FULL,
    MARGIN,
    MAX_PIXELS,
    SMALL,
    UNKNOWN,
    WEIGHTS,
)
from loadtest.workload.catalogue import Image
from loadtest.workload.target import Target


class Swarm:
    """Requests at random moments, whatever becomes of those before: an open loop."""

    def __init__(
        self,
        clock: Clock,
        fleet: TaskFleet,
        edge: Edge,
        requests: Iterator[RequestDemand],
        draws: Random,
        half_trip: int,
    ) -> None:
        """`half_trip` from edge to origin, in nanoseconds."""
        self._clock, self._fleet, self._edge = clock, fleet, edge
        self._requests, self._draws = requests, draws
        self._half_trip = half_trip
        self._sent = self._refused = self._bytes = 0
        self._mean, self._end = 0.0, 0
        """Seconds between two requests; when nobody asks any more, in nanoseconds."""

    @property
    def counts(self) -> SwarmCounts:
        """Its requests, and what became of them."""
        return SwarmCounts(requests=self._sent, refused=self._refused, bytes=self._bytes)

    def begin(self, per_second: float, end: int) -> None:
        """Ask until `end`, in nanoseconds."""
        self._mean, self._end = 1 / per_second, end
        self._await_request()

    def _await_request(self) -> None:
        delay = to_nanoseconds(draw_exponential(self._draws, self._mean))
        if self._clock.now + delay < self._end:
            self._clock.after(delay, self._send_request)

    def _send_request(self, _: None) -> None:
        location = self._sent % self._edge.locations
        job = EdgeJob(next(self._requests), location, self._clock.now)
        self._sent += 1
        self._clock.after(self._half_trip, self._balance_job, job)
        self._await_request()

    def _balance_job(self, job: EdgeJob) -> None:
        self._fleet.choose().ask(job, self._take_answer, self._draws)

    def _take_answer(self, job: EdgeJob, good: bool) -> None:
        if good:
            self._bytes += job.request.bytes
            self._edge.take(job.location, job.request)
        else:
            self._refused += 1


def swarm_requests(
    collection: ImageCollection, reader: Reader, profile: CostProfile, draws: Random
) -> Iterator[RequestDemand]:
    """Yield requests without end: what is known by its popularity, what is cold by no order."""
    choose = make_chooser(list(WEIGHTS), list(WEIGHTS.values()))
    images = collection.images
    for number in count(1):
        kind = choose(draws)
        if kind == UNKNOWN:
            yield _request_unknown(-number, profile)
            continue
        image = (
            collection.pick(draws.random)
            if kind == FULL
            else images[int(draws.random() * len(images))]
        )
        target = _small_target(image, draws) if kind == COLD else _full_size(image, kind, draws)
        yield reader.read(target)


def _request_unknown(number: int, profile: CostProfile) -> RequestDemand:
    """Return a request for a name that no image has."""
    demand = profile.info_ms * MILLISECOND
    size = int(profile.of_answer)
    kind = CLASSES.index(INFO)
    return RequestDemand(number, kind, number, size, demand, AT_ONCE, 0.0, Target(UNKNOWN, ""))


def _full_size(image: Image, kind: str, draws: Random) -> Target:
    """Return a region that only this request asks for, at full size or the largest allowed."""
    margin = min(MARGIN, min(image.width, image.height) // 2)
    x, y = int(draws.random() * margin), int(draws.random() * margin)
    width, height = image.width - x, image.height - y
    out = min(width, int((MAX_PIXELS * width / height) ** 0.5))
    return Target(kind, "", image, (x, y, width, height), out, max(1, out * height // width))


def _small_target(image: Image, draws: Random) -> Target:
    """Return the whole image at a size that its information does not list."""
    least, most = SMALL
    width = min(image.width, least + int(draws.random() * (most - least + 1)))
    height = max(1, width * image.height // image.width)
    return Target(COLD, "", image, (0, 0, image.width, image.height), width, height)
