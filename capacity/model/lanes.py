"""Budgets of a task's gateway processes: the gateway's own code on the simulated clock."""

from collections.abc import Sequence

from capacity.engine.clock import SECOND, Clock
from capacity.model.request_demand import BlockLayout, RequestDemand
from loadtest.workload.catalogue import MEGA
from vitrine.deliver.answer.budgets import MAX_GIVING_WAY, Budget
from vitrine.deliver.answer.cost import OPENING_BYTES, Cost, Lane
from vitrine.deliver.render.choice import MAX_MEDIUM_WORK


class Lanes:
    """The lanes of a task that refuses under pressure (ADR 0026). Each process has its own."""

    def __init__(self, clock: Clock, cores: int, processes: int) -> None:
        most = max(1, MAX_GIVING_WAY // processes)
        self._processes: Sequence[dict[Lane, Budget]] = [
            {
                lane: Budget(cores, lambda: clock.now / SECOND, most_giving_way=most)
                for lane in (Lane.CHEAP, Lane.COLD, Lane.LARGE)
            }
            for _ in range(processes)
        ]
        self._under_way: dict[int, Budget] = {}

    def admit(self, request: RequestDemand, layout: BlockLayout, missing_bytes: int | None) -> bool:
        """Return False if a render gives way; otherwise it is under way until its `end`.

        `missing_bytes` are those that have to be read; None if the image has to be opened.
        """
        cost = _price_request(request, layout, missing_bytes)
        budget = self._processes[request.image % len(self._processes)][cost.lane]
        if not budget.has_room(str(request.key), cost):
            return False
        budget.begin(str(request.key), cost)
        self._under_way[request.key] = budget
        return True

    def end(self, request: RequestDemand, *, done: bool) -> None:
        """Take a render out; `done` is False if it was given up."""
        self._under_way.pop(request.key).end(str(request.key), done=done)


def _price_request(request: RequestDemand, layout: BlockLayout, missing_bytes: int | None) -> Cost:
    """Return what `vitrine.deliver.answer.cost.price_derivative` would."""
    fetched = missing_bytes
    if fetched is None:
        fetched = OPENING_BYTES + layout.bytes_of(request.target)
    work = request.work * MEGA
    lane = Lane.COLD if fetched else Lane.CHEAP
    if work > MAX_MEDIUM_WORK:
        lane = Lane.LARGE
    target, image = request.target, layout.image
    is_whole = target.region == (0, 0, image.width, image.height)
    is_listed = is_whole and (target.width, target.height) in image.levels
    return Cost(lane, work, fetched, is_listed)
