"""One image task: gateway and iipsrv on its cores, the pools of renders, the disk of blocks."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from random import Random

from vitrine.capacity.engine.clock import MILLISECOND, SECOND, Clock
from vitrine.capacity.engine.sharing import WeightedSharing
from vitrine.capacity.engine.streams import normal
from vitrine.capacity.service.admission import Admission
from vitrine.capacity.service.blocks import BlockCache, Store
from vitrine.capacity.service.design import GIBIBYTE, Design
from vitrine.capacity.service.profile import CLASSES, INFO, LARGE, SMALL, TILE, Profile
from vitrine.capacity.service.wanted import Reader, Wanted

WAITING, LARGE_WAITING = 256, 64
"""Renders of little and of more work that may wait; as `vitrine.deliver.service`."""
NICED_WEIGHT = 110 / 1024
"""Of threads at niceness 10 (`vitrine.deliver.render.rendering`), to those at 0: Linux,
kernel/sched/core.c, sched_prio_to_weight."""
_INFO, _TILE, _SMALL, _LARGE = map(CLASSES.index, (INFO, TILE, SMALL, LARGE))
_TRUSTED = 256


@dataclass(slots=True, eq=False)
class Job:
    """One request of the edge."""

    wanted: Wanted
    location: int
    sent: int
    """Nanoseconds."""


Done = Callable[[Job, bool], object]
"""Called with False when the request was refused."""


class ImageTask:
    """Takes requests of the load balancer; `outstanding` are those that are not answered."""

    def __init__(
        self,
        clock: Clock,
        design: Design,
        profile: Profile,
        reader: Reader,
        store: Store,
        *,
        medium_renders: int = 0,
    ) -> None:
        """`medium_renders` at once; 0: one for each vCPU, as the setting says."""
        self._clock, self._reader = clock, reader
        self.cores = WeightedSharing(clock, design.vcpus, NICED_WEIGHT)
        capacity = int(design.cache_gibibytes * GIBIBYTE)
        self.blocks = BlockCache(capacity, store, profile, design.whole_file)
        places = medium_renders or max(1, int(design.vcpus))
        self._pools: dict[int, Admission] = {
            _SMALL: Admission(clock, places, WAITING),
            _LARGE: Admission(clock, design.large_renders, LARGE_WAITING),
        }
        if not design.pass_through:
            # As many iipsrv processes as cores.
            self._pools[_TILE] = Admission(clock, places, WAITING)
        self._trusted: dict[int, int] = {}
        self._most_trusted = _TRUSTED
        self._trust = round(profile.identifier_ttl_seconds * SECOND)
        self._lookup = round(profile.identifier_ms * MILLISECOND)
        self._variation = profile.variation
        self.outstanding = self.identifier_reads = 0

    def ask(self, job: Job, done: Done, draws: Random) -> None:
        """Answer, or refuse, a request."""
        wanted, now = job.wanted, self._clock.now
        admission = self._pools.get(wanted.kind)
        if admission and not admission.admit():
            done(job, False)
            return
        self.outstanding += 1
        demand = wanted.demand
        if self._variation:
            sigma = self._variation
            demand *= exp(normal(draws, -sigma * sigma / 2, sigma))
        ready = self._identified(wanted.image, now)
        if wanted.kind != _INFO:
            ready = self._read(wanted, ready)
        if ready > now:
            self._clock.after(ready - now, self._begin_later, (job, done, round(demand)))
        else:
            self._begin(job, done, round(demand))

    def _identified(self, image: int, now: int) -> int:
        """When the identifier's record is there: kept for as long as it is trusted."""
        trusted = self._trusted
        if trusted.get(image, 0) > now:
            return now
        if len(trusted) > self._most_trusted:
            trusted = {key: until for key, until in trusted.items() if until > now}
            self._trusted, self._most_trusted = trusted, max(_TRUSTED, 2 * len(trusted))
        trusted[image] = now + self._trust
        self.identifier_reads += 1
        return now + self._lookup

    def _read(self, wanted: Wanted, start: int) -> int:
        image = wanted.target.image
        assert image
        layout = self._reader.layout(image)
        return self.blocks.fetch(start, wanted.image, layout, layout.blocks_of(wanted.target))

    def _begin_later(self, event: "object") -> None:
        self._begin(*event.value)  # type: ignore[attr-defined]

    def _begin(self, job: Job, done: Done, demand: int) -> None:
        admission = self._pools.get(job.wanted.kind)
        if admission:
            admission.enter(self._work, self._refuse, (job, done, demand))
        else:
            self._work((job, done, demand))

    def _work(self, begun: tuple[Job, Done, int]) -> None:
        niced = begun[0].wanted.kind == _LARGE
        self.cores.serve(begun[2], self._finish, begun, niced)

    def _refuse(self, begun: tuple[Job, Done, int]) -> None:
        self.outstanding -= 1
        begun[1](begun[0], False)

    def _finish(self, begun: tuple[Job, Done, int]) -> None:
        job, done, _ = begun
        admission = self._pools.get(job.wanted.kind)
        if admission:
            admission.leave()
        self.outstanding -= 1
        done(job, True)
