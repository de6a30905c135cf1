"""Visits at the edge: each step's requests at once, the next when all are answered."""

from collections.abc import Iterator, Sequence

from capacity.engine.clock import SECOND, Clock, to_nanoseconds
from capacity.model.cost_profile import CostProfile
from capacity.model.day_tally import Tally
from capacity.model.edge_caches import Edge
from capacity.model.request_demand import Reader, RequestDemand
from loadtest.workload.request import Step, Workload
from loadtest.workload.target import Target


class _Visit:
    """Somebody with one connection to one edge location, and a line of their own."""

    __slots__ = (
        "ahead",
        "line_free",
        "location",
        "opening",
        "outstanding",
        "steps",
        "think",
    )

    def __init__(self, steps: Iterator[Step], location: int, opening: int) -> None:
        self.steps, self.location, self.opening = steps, location, opening
        self.ahead = next(steps, None)
        self.line_free = self.outstanding = 0
        self.think = 0.0

    def step(self) -> Sequence[Target]:
        """Return what is asked for at once, next."""
        if self.ahead is None:
            return ()
        targets, self.think = self.ahead
        self.ahead = next(self.steps, None)
        return targets


class Viewers:
    """Everybody who visits: asks the edge, and counts what comes back, and when."""

    def __init__(
        self,
        clock: Clock,
        edge: Edge,
        reader: Reader,
        profile: CostProfile,
        workload: Workload,
        tally: Tally,
    ) -> None:
        self._clock, self._edge, self._reader, self._tally = clock, edge, reader, tally
        self._workload = workload
        self._round_trip = to_nanoseconds(profile.viewer_round_trip_ms / 1000)
        self._opening = round(profile.opening_round_trips * self._round_trip)
        self._per_byte = 8 * SECOND / (profile.viewer_megabits * 1_000_000)
        edge.answered = self._note_answer

    def visit(self, number: int) -> None:
        """Somebody comes; `number` says what they ask for."""
        self._tally.visits += 1
        location = number % self._edge.locations
        self._send_step(_Visit(self._workload.steps(number), location, self._opening))

    def _send_step(self, visit: _Visit) -> None:
        """Send the requests of the next step, if there is one."""
        now, opening = self._clock.now, visit.opening
        visit.opening = 0
        at_edge = self._round_trip + opening
        for target in visit.step():
            request = self._reader.read(target)
            self._tally.requests += 1
            visit.outstanding += 1
            waiter = (visit, request, now)
            if self._edge.ask(visit.location, request, waiter, opening + self._round_trip // 2):
                visit.outstanding -= 1
                self._receive_answer(visit, request, now, now + at_edge)
        if not visit.outstanding:
            self._pause_visit(visit)

    def _note_answer(self, waiter: tuple[_Visit, RequestDemand, int], good: bool) -> None:
        """Note that the edge has the answer that a visit waits for, or has given up."""
        visit, request, sent = waiter
        visit.outstanding -= 1
        arrival = max(self._clock.now + self._round_trip // 2, sent + self._round_trip)
        if good:
            self._receive_answer(visit, request, sent, arrival)
        else:
            self._tally.failures += 1
            visit.line_free = max(visit.line_free, arrival)
        if not visit.outstanding:
            self._pause_visit(visit)

    def _receive_answer(
        self, visit: _Visit, request: RequestDemand, sent: int, arrival: int
    ) -> None:
        """Take an answer; its last byte comes when the viewer's line has carried all before."""
        end = max(visit.line_free, arrival) + round(request.bytes * self._per_byte)
        visit.line_free = end
        self._tally.responses[request.kind].append(end - sent)
        self._tally.viewer_bytes += request.bytes
        if end > self._tally.last:
            self._tally.last = end

    def _pause_visit(self, visit: _Visit) -> None:
        if visit.ahead is None:
            return
        delay = max(0, visit.line_free - self._clock.now) + to_nanoseconds(visit.think)
        self._clock.after(delay, self._send_step, visit)
