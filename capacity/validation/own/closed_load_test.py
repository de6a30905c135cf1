"""A load test simulated: users who wait for each answer, and one image task on one core."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from capacity.engine.clock import MILLISECOND, SECOND, Clock, nanoseconds
from capacity.engine.stations import SingleServer
from capacity.engine.streams import Streams
from capacity.model.block_disks import Store
from capacity.model.cost_profile import Profile
from capacity.model.day_outcome import Times
from capacity.model.day_tally import Tally
from capacity.model.design import Design
from capacity.model.image_task import ImageTask, Job
from capacity.model.request_demand import Reader
from capacity.validation.own.load_tests import LoadTest
from loadtest.workload.catalogue import Image
from loadtest.workload.request import Request

RIG = Design(
    vcpus=1,
    memory_gibibytes=4,
    cache_gibibytes=15,
    minimum=1,
    maximum=1,
    large_renders=1,
)
"""The image task of the test, on one core of this machine."""
MEDIUM_RENDERS = 2
"""At once: the setting `render_cores`, which the test leaves at its default."""


@dataclass(frozen=True, kw_only=True)
class Closed:
    """The outcome of a simulated load test."""

    requests_per_second: float
    """Answered."""
    times: Times
    failures: int
    server_cores: float
    """Used, in the mean."""
    kept_share: float
    """Of the tiles: those that nginx kept."""


@dataclass(frozen=True, kw_only=True)
class Outside:
    """What an answer takes next to the server's core."""

    delay_ms: float
    """Of every answer."""
    generator_ms: float
    """CPU of the generator, one thread, for each request."""
    jitter_ms: tuple[float, ...] = (0.0, 0.0)
    """What comes on top: quantiles at even distances, the least first, the greatest last."""

    def draw(self, stream: Random) -> int:
        """Draw the delay of one answer, in nanoseconds."""
        place = stream.random() * (len(self.jitter_ms) - 1)
        low = int(place)
        first, second = self.jitter_ms[low : low + 2]
        return round((self.delay_ms + first + (place - low) * (second - first)) * MILLISECOND)


class _Test:
    def __init__(self, profile: Profile, outside: Outside, seed: int) -> None:
        self.clock, self.tally = Clock(), Tally()
        self.reader = Reader(profile, RIG)
        store = Store(profile, Streams(seed).stream("store"))
        self.task = ImageTask(
            self.clock, RIG, profile, self.reader, store, medium_renders=MEDIUM_RENDERS
        )
        streams = Streams(seed)
        self._service: Random = streams.stream("service")
        self._jitter: Random = streams.stream("jitter")
        self._outside = outside
        self._delay = round(outside.delay_ms * MILLISECOND)
        # It handles a request when it is sent, and again when its answer comes: half each.
        self._handling = round(outside.generator_ms * MILLISECOND / 2)
        self._generator = SingleServer(self.clock)

    def user(self, requests: Iterator[Request], end: int) -> Generator[Any, Any, None]:
        """Ask, wait, pause, until the end; what is under way then is waited for."""
        clock, tally = self.clock, self.tally
        for request in requests:
            if clock.now >= end:
                return
            yield self._generate()
            sent, answered = clock.now, clock.event()
            demand = self.reader.read(request.target)
            varies = not self.task.kept.keeps(demand.key, clock.now)
            yield clock.timeout(self._outside.draw(self._jitter) if varies else self._delay)
            self.task.ask(Job(demand, 0, sent), partial(_tell, answered), self._service)
            good = yield answered
            yield self._generate()
            tally.last = clock.now
            if good:
                tally.responses[demand.kind].append(clock.now - sent)
            else:
                tally.failures += 1
            if request.think_seconds:
                yield clock.timeout(nanoseconds(request.think_seconds))

    def _generate(self) -> Any:
        """Wait for the generator, which is one thread, to do its part of a request."""
        done = self.clock.event()
        self._generator.serve(self._handling, done.succeed)
        return done


def _tell(answered: Any, job: Job, good: bool) -> None:
    answered.succeed(good)


def run_closed(
    test: LoadTest,
    images: Sequence[Image],
    profile: Profile,
    outside: Outside,
    seconds: float,
    *,
    rounds: int = 1,
    seed: int = 1,
) -> Closed:
    """Simulate a test of so many rounds of so many seconds."""
    run, elapsed = _Test(profile, outside, seed), 0
    for number in range(rounds):
        begun, workload = run.clock.now, test.workload(images, number)
        end = begun + nanoseconds(seconds)
        for user in range(test.users):
            run.clock.process(run.user(workload.requests(user, test.users), end))
        run.clock.run()
        elapsed += run.tally.last - begun
    times = run.tally.times()
    return Closed(
        requests_per_second=times.requests * SECOND / elapsed,
        times=times,
        failures=run.tally.failures,
        server_cores=run.task.cores.spent_ns / elapsed,
        kept_share=run.task.kept.hits / (run.task.kept.requests or 1),
    )
