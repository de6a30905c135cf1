"""A day of the service: viewers, edge, load balancer, tasks, object store, autoscaler."""

from capacity.engine.clock import SECOND, Clock, to_nanoseconds
from capacity.engine.streams import Streams
from capacity.model.arrivals import visit_times
from capacity.model.autoscaler import Autoscaler
from capacity.model.block_disks import Store
from capacity.model.cost_profile import CostProfile
from capacity.model.day_outcome import DayOutcome
from capacity.model.day_tally import Tally, times_of
from capacity.model.design import Design, Traffic
from capacity.model.edge_caches import Edge
from capacity.model.fleet import TaskFleet
from capacity.model.image_task import EdgeJob, SimulatedTask
from capacity.model.past_visits import fill_edge, first_visit, workload_of
from capacity.model.request_demand import Reader, RequestDemand
from capacity.model.time_series import TimeSeries, sample_seconds
from capacity.model.visits import Viewers
from capacity.model.warm_caches import warm_tasks


def simulate_day(
    design: Design, traffic: Traffic, profile: CostProfile, seed: int | str
) -> DayOutcome:
    """Simulate one run. Equal arguments give equal outcomes, on any Python and under any hash seed.

    `seed` is that of arrivals, service and store times and Spot interruptions; `traffic.seed` of
    what is asked for, so that two designs can be compared with the same visits.
    """
    return _Day(design, traffic, profile, seed).outcome()


class _Day:
    """All parts, wired."""

    def __init__(
        self, design: Design, traffic: Traffic, profile: CostProfile, seed: int | str
    ) -> None:
        self._design, self._traffic, self._profile = design, traffic, profile
        self._clock, streams = Clock(), Streams(seed)
        self._end = to_nanoseconds(traffic.hours * 3600)
        self._tally, self._reader = Tally(), Reader(profile)
        self._edge = Edge(self._clock, design, profile)
        self._edge.origin = self._to_origin
        self._store = Store(profile, streams.stream("store"))
        self._service = streams.stream("service")
        self._fleet = TaskFleet(
            self._clock, design, profile, self._made_task, streams.stream("spot")
        )
        self._workload = workload_of(traffic)
        self._viewers = Viewers(
            self._clock, self._edge, self._reader, profile, self._workload, self._tally
        )
        self._arrivals = visit_times(traffic, streams.stream("arrivals"))
        self._number = first_visit(traffic)
        """Of the next visit."""
        self._half_trip = to_nanoseconds(profile.origin_round_trip_ms / 2000)
        self._per_byte = 8 * SECOND / (profile.origin_megabits * 1_000_000)

    def outcome(self) -> DayOutcome:
        """Run until the last answer."""
        clock, fleet = self._clock, self._fleet
        fleet.begin(self._warm_caches())
        seconds = sample_seconds(self._traffic.hours)
        series = TimeSeries(clock, self._design, fleet, self._edge, self._tally, seconds)
        clock.process(series.run(self._end))
        scaler = Autoscaler(clock, self._design, self._profile, fleet)
        clock.process(scaler.run(self._end))
        self._await_visit()
        clock.run(until=self._end)
        fleet.count()
        fleet.end()
        cpu = 100 * fleet.spent_ns() / (fleet.serving_ns * self._design.vcpus)
        clock.run()
        return self._make_outcome(series, cpu)

    def _warm_caches(self) -> list[SimulatedTask]:
        """Fill the edge with the days before, the tasks' disks with the last visits of them."""
        traffic, edge = self._traffic, self._edge
        fill_edge(traffic, self._design, self._reader, edge)
        return warm_tasks(
            self._design,
            traffic,
            self._workload,
            self._reader,
            edge,
            self._made_task,
            self._number - traffic.warm_visits,
        )

    def _made_task(self) -> SimulatedTask:
        return SimulatedTask(self._clock, self._design, self._profile, self._reader, self._store)

    def _await_visit(self) -> None:
        second = next(self._arrivals, None)
        if second is not None:
            delay = max(0, to_nanoseconds(second) - self._clock.now)
            self._clock.after(delay, self._begin_visit)

    def _begin_visit(self, _: None) -> None:
        self._viewers.visit(self._number)
        self._number += 1
        self._await_visit()

    def _to_origin(self, request: RequestDemand, location: int, delay: int) -> None:
        job = EdgeJob(request, location, self._clock.now + delay)
        self._clock.after(delay + self._half_trip, self._balance_job, job)

    def _balance_job(self, job: EdgeJob) -> None:
        self._fleet.choose().ask(job, self._from_task, self._service)

    def _from_task(self, job: EdgeJob, good: bool) -> None:
        delay = self._half_trip
        if good:
            self._tally.origin_bytes += job.request.bytes
            delay += round(job.request.bytes * self._per_byte)
        else:
            self._tally.origin_failures += 1
        self._clock.after(delay, self._at_edge, (job, good))

    def _at_edge(self, answer: tuple[EdgeJob, bool]) -> None:
        job, good = answer
        if good:
            self._tally.origin.append(self._clock.now - job.sent)
        self._edge.answer(job.location, job.request, good)

    def _make_outcome(self, series: TimeSeries, cpu: float) -> DayOutcome:
        tally, edge, fleet, samples = self._tally, self._edge, self._fleet, series.samples
        return DayOutcome(
            seconds=max(self._end, tally.last) / SECOND,
            visits=tally.visits,
            requests=tally.requests,
            edge_hits=edge.hits,
            collapsed=edge.collapsed,
            shield_hits=edge.shield_hits,
            origin_requests=edge.origin_requests,
            failures=tally.failures,
            origin_failures=tally.origin_failures,
            times=tally.times(),
            by_class=tally.by_class(),
            origin_times=times_of([tally.origin]),
            on_demand_seconds=fleet.paid_seconds(spot=False, end=self._end),
            spot_seconds=fleet.paid_seconds(spot=True, end=self._end),
            spot_interruptions=fleet.spot_interruptions,
            viewer_bytes=tally.viewer_bytes,
            origin_bytes=tally.origin_bytes,
            store_requests=self._store.requests,
            store_bytes=self._store.bytes,
            identifier_reads=fleet.identifier_reads(),
            cpu_percent=cpu,
            peak_cpu_percent=max((sample.cpu_percent for sample in samples), default=0.0),
            peak_tasks=fleet.peak_tasks,
            peak_requests_per_second=max(
                (sample.requests_per_second for sample in samples), default=0.0
            ),
            sample_seconds=sample_seconds(self._traffic.hours),
            series=samples,
        )
