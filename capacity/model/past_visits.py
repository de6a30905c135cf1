"""Visits of the days before, as far as they fill the edge with what the simulated visits ask for.

A cache that evicts nothing early holds an answer if and only if somebody asked for that very answer
there within its lifetime. So only those of the past visits are followed that ask for an image which
the coming visits ask for as well, and only what these ask for is kept: months of visits take
seconds.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from math import ceil, sqrt

from capacity.model.design import GIBIBYTE, Design, Traffic
from capacity.model.edge_caches import Edge
from capacity.model.image_collection import ImageCollection
from capacity.model.request_demand import Reader, RequestDemand, identify_answer
from loadtest.workload.request import Workload
from loadtest.workload.target import Target

DAY = 86_400
MAX_VISITS = 100_000
"""Visits that are looked at: with more, the past is shorter than was asked for."""
_SAMPLE = 40
"""Visits whose mean of bytes says how many visits an edge location has room for."""
_KEPT = 4


def workload_of(traffic: Traffic) -> Workload:
    """Return what the visits ask for."""
    images = ImageCollection.made(traffic.images, traffic.megapixels, traffic.popularity)
    return Workload(traffic.options.bind(images, traffic.seed), traffic.seed)


def first_visit(traffic: Traffic) -> int:
    """Return the number of the first visit that is simulated, the same whatever the design is."""
    days = int(min(traffic.warm_days * traffic.visits_per_day, MAX_VISITS))
    return max(days, traffic.warm_visits)


def fill_edge(traffic: Traffic, design: Design, reader: Reader, edge: Edge) -> None:
    """Fill the edge with the visits of `warm_days`, but for the last `warm_visits`.

    Left out are visits older than the lifetime of an answer, and those that would have been evicted
    if nobody ever asked for the same twice: what is held is a lower bound.
    """
    if not traffic.warm_days:
        return
    first, seconds = first_visit(traffic), DAY / traffic.visits_per_day
    caches = 1 if design.origin_shield else edge.locations
    room = caches * design.edge_gibibytes * GIBIBYTE / _bytes_per_visit(traffic, reader.read)
    oldest = first - min(room, design.edge_ttl_seconds / seconds)
    for number, target in past_requests(traffic):
        if number >= oldest:
            second = -ceil((first - number) * seconds)
            edge.fill(number % edge.locations, reader.read(target), second)


@lru_cache(maxsize=_KEPT)
def past_requests(traffic: Traffic) -> tuple[tuple[int, Target], ...]:
    """Return the requests of past visits for what the simulated ones want, and the visits' numbers.

    Kept for the next design that meets the same traffic.
    """
    workload, first = workload_of(traffic), first_visit(traffic)
    # As many as come, and more: their number is drawn.
    mean = traffic.visits_per_day * traffic.peak_factor * traffic.hours / 24
    coming = range(first, first + ceil(mean + 6 * sqrt(mean) + 10))
    expected = {identify_answer(target) for target in _list_targets(workload, coming)}
    images = {_target_identifier(target) for target in _list_targets(workload, coming)}
    return tuple(
        (number, target)
        for number in range(first - traffic.warm_visits)
        for target in _of_images(workload.steps(number), images)
        if identify_answer(target) in expected
    )


def _target_identifier(target: Target) -> str:
    return target.image.identifier if target.image else ""


def _bytes_per_visit(traffic: Traffic, read: Callable[[Target], RequestDemand]) -> float:
    targets = _list_targets(workload_of(traffic), range(_SAMPLE))
    return max(1.0, sum(read(target).bytes for target in targets) / _SAMPLE)


def _list_targets(workload: Workload, numbers: Iterable[int]) -> Iterator[Target]:
    for number in numbers:
        for targets, _ in workload.steps(number):
            yield from targets


def _of_images(steps: Iterator[tuple[Iterable[Target], float]], images: set[str]) -> list[Target]:
    """Return the requests for `images` of a visit whose first step asks for one of them.

    Nobody opens another image in the middle of a visit, so the rest of the others is not drawn.
    """
    first, _ = next(steps, ((), 0.0))
    found = [target for target in first if _target_identifier(target) in images]
    if found:
        rest = chain.from_iterable(targets for targets, _ in steps)
        found += [target for target in rest if _target_identifier(target) in images]
    return found
