"""One image task: gateway and iipsrv on its cores, the pools of renders, the disk of blocks."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp
from random import Random

from capacity.engine.clock import MILLISECOND, SECOND, Clock, to_nanoseconds
from capacity.engine.sharing import WeightedSharing
from capacity.engine.stations import StationPool as Places
from capacity.engine.streams import draw_normal
from capacity.model.admission import RenderAdmission
from capacity.model.block_disks import BlockDisk, Store
from capacity.model.cost_profile import CLASSES, INFO, LARGE, SMALL, TILE, CostProfile
from capacity.model.design import GIBIBYTE, Design
from capacity.model.kept_tiles import TILE_CACHE_MEBIBYTES, KeptTiles
from capacity.model.render_work import (
    AT_ONCE,
    HUGE,
    LARGE_TURN,
    MAX_MEDIUM_WORK,
    MEDIUM,
)
from capacity.model.request_demand import Reader, RequestDemand

WAITING, LARGE_WAITING = 256, 64
"""Renders of little and of more work that may wait; as `vitrine.deliver.service`."""
SLEEPER_WEIGHT = 20.0
"""Weight of the event loop: a thread that sleeps between requests goes first when it wakes up."""
IIPSRV_WEIGHT = 1.0
"""Weight of a process of iipsrv: its niceness is 0 (containers/iipsrv/start), whatever pool it came
by."""
TICK_MS = 4.0
"""Linux takes a core from a render at the scheduler's next tick (CONFIG_HZ=250, no preemption)."""
COLD_SECONDS = 0.005
"""Idle time after which a request finds cold caches, and cores that rested or did other work."""
_INFO, _TILE = map(CLASSES.index, (INFO, TILE))
_TRUSTED = 256


@dataclass(slots=True, eq=False)
class EdgeJob:
    """One request of the edge."""

    request: RequestDemand
    location: int
    sent: int
    """Nanoseconds."""


Done = Callable[[EdgeJob, bool], object]
"""Called with False when the request was refused."""
_Begun = tuple[EdgeJob, Done, int, RenderAdmission | None]
"""With its demand in nanoseconds, and whom it has to ask for a turn."""


class SimulatedTask:
    """Takes requests of the load balancer; `outstanding` are those that are not answered."""

    def __init__(
        self,
        clock: Clock,
        design: Design,
        profile: CostProfile,
        reader: Reader,
        store: Store,
        *,
        medium_renders: int = 0,
    ) -> None:
        """`medium_renders` at once; 0: one for each vCPU, as the setting says."""
        self._clock, self._reader = clock, reader
        self.cores = WeightedSharing(clock, design.vcpus, (SLEEPER_WEIGHT, *[IIPSRV_WEIGHT] * 3))
        capacity = int(design.cache_gibibytes * GIBIBYTE)
        self.blocks = BlockDisk(capacity, store, profile)
        places = medium_renders or max(1, int(design.vcpus))
        self._pools: dict[int, RenderAdmission] = {
            MEDIUM: RenderAdmission(clock, places, WAITING),
            LARGE_TURN: RenderAdmission(clock, design.large_renders, LARGE_WAITING),
            HUGE: RenderAdmission(clock, design.large_renders, LARGE_WAITING),
        }
        # As many iipsrv processes as cores; all pools share them.
        self._processes = Places(places)
        # As many gateway processes as cores, at least two. Each has its own images (ADR 0017), and
        # makes one thing after the other.
        self._loops = [Places(1) for _ in range(max(2, int(design.vcpus)))]
        self._rendering: dict[int, list[tuple[EdgeJob, Done]]] = {}
        """By key: who else waits for it."""
        self._trusted: dict[int, int] = {}
        self._most_trusted = _TRUSTED
        self._trust = round(profile.identifier_ttl_seconds * SECOND)
        self.kept = KeptTiles(self._trust, TILE_CACHE_MEBIBYTES)
        self._kept_share = profile.kept_tile_ms / profile.tile_ms
        self._lookup = round(profile.identifier_ms * MILLISECOND)
        tile, render = profile.variation, profile.render_variation
        varies = {INFO: tile, TILE: tile, SMALL: render, LARGE: render}
        self._variations = [varies[name] for name in CLASSES]
        self._cold_after = to_nanoseconds(COLD_SECONDS)
        self._running, self._vcpus = 0, design.vcpus
        """Renders that have a process, and what they run on."""
        self._tick = TICK_MS * MILLISECOND
        self._active = 0
        """When somebody last came or went."""
        self._wake = round(profile.wake_ms * MILLISECOND)
        tile, small = profile.cold_tile_ms, profile.cold_small_ms
        cold = {INFO: tile, TILE: tile, SMALL: small, LARGE: small}
        self._cold = [round(cold[name] * MILLISECOND) for name in CLASSES]
        self.outstanding = self.identifier_reads = 0

    def ask(self, job: EdgeJob, done: Done, draws: Random) -> None:
        """Answer, or refuse, a request. What is being rendered already is not rendered again."""
        request, now = job.request, self._clock.now
        if request.work and (followers := self._rendering.get(request.key)) is not None:
            self.outstanding += 1
            followers.append((job, done))
            return
        admission = self._pools.get(request.pool)
        if admission and not admission.admit():
            done(job, False)
            return
        self.outstanding += 1
        if request.work:
            self._rendering[request.key] = []
        demand = request.demand
        if sigma := self._variations[request.kind]:
            demand *= exp(draw_normal(draws, -sigma * sigma / 2, sigma))
        kept = request.kind == _TILE and self.kept.has(request.key, request.image, now)
        if kept:
            demand *= self._kept_share
        ready = now if kept else self._ready_time(request, now)
        if request.pool == AT_ONCE and self._running >= self._vcpus:
            # nginx has to get the core, and then the gateway.
            ready += int((draws.random() + (not kept) * draws.random()) * self._tick)
        begun = job, done, round(demand), admission
        if ready > now:
            self._clock.after(ready - now, self._begin_request, begun)
        else:
            self._begin_request(begun)

    def _ready_time(self, request: RequestDemand, now: int) -> int:
        """Return when the record is known and the bytes are there."""
        ready = self._identified_time(request.image, now)
        return ready if request.kind == _INFO else self._read_blocks(request, ready)

    def _identified_time(self, image: int, now: int) -> int:
        """Return when the identifier's record is known; it is kept while it is trusted."""
        trusted = self._trusted
        if trusted.get(image, 0) > now:
            return now
        if len(trusted) > self._most_trusted:
            trusted = {key: until for key, until in trusted.items() if until > now}
            self._trusted, self._most_trusted = trusted, max(_TRUSTED, 2 * len(trusted))
        trusted[image] = now + self._trust
        self.identifier_reads += 1
        return now + self._lookup

    def _read_blocks(self, request: RequestDemand, start: int) -> int:
        image = request.target.image
        assert image
        layout = self._reader.layout(image)
        runs, urgent = layout.blocks_of(request.target), request.work <= MAX_MEDIUM_WORK
        return self.blocks.fetch(start, request.image, layout, runs, urgent=urgent)

    def _begin_request(self, begun: _Begun) -> None:
        admission = begun[3]
        if not admission:
            self._work_request(begun)
        else:
            admission.enter(begun[0].request.work, self._await_iipsrv, self._refuse_render, begun)

    def _await_iipsrv(self, begun: _Begun) -> None:
        """Wait for a process of iipsrv."""
        self._processes.enter(self._work_request, begun)

    def _work_request(self, begun: _Begun) -> None:
        job, _, demand, _ = begun
        request, now, cores = job.request, self._clock.now, self.cores
        if now - self._active > self._cold_after:
            demand += self._cold[request.kind]
        elif cores.is_idle:
            demand += self._wake
        self._active = now
        if request.pool == AT_ONCE:
            self._loop_of(request).enter(self._serve_at_once, (begun, demand))
        else:
            self._running += 1
            cores.serve(demand, self._finish_job, begun, request.pool)

    def _loop_of(self, request: RequestDemand) -> Places:
        return self._loops[request.image % len(self._loops)]

    def _serve_at_once(self, begun: tuple[_Begun, int]) -> None:
        self.cores.serve(begun[1], self._leave_loop, begun[0], AT_ONCE)

    def _leave_loop(self, begun: _Begun) -> None:
        self._loop_of(begun[0].request).leave()
        self._finish_job(begun)

    def _refuse_render(self, begun: _Begun) -> None:
        self._end_job(begun[0], begun[1], False)

    def _finish_job(self, begun: _Begun) -> None:
        job, done, _, admission = begun
        if job.request.pool != AT_ONCE:
            self._running -= 1
        if admission:
            self._processes.leave()
            admission.leave()
        self._end_job(job, done, True)

    def _end_job(self, job: EdgeJob, done: Done, good: bool) -> None:
        self._active = self._clock.now
        self.outstanding -= 1
        followers = self._rendering.pop(job.request.key) if job.request.work else ()
        done(job, good)
        for follower, tell in followers:
            self.outstanding -= 1
            tell(follower, good)
