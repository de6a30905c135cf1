"""Caches as visits before the first second have left them, and how many tasks then run."""

from collections.abc import Callable
from itertools import chain
from math import ceil

from capacity.engine.clock import SECOND
from capacity.model.arrivals import visits_per_second
from capacity.model.cost_profile import CLASSES, INFO
from capacity.model.design import Design, Traffic
from capacity.model.edge_caches import Edge
from capacity.model.image_task import SimulatedTask
from capacity.model.request_demand import Reader, RequestDemand
from loadtest.workload.request import Workload

_STRETCHES = 10
_INFO = CLASSES.index(INFO)


def warm_tasks(
    design: Design,
    traffic: Traffic,
    workload: Workload,
    reader: Reader,
    edge: Edge,
    made: Callable[[], SimulatedTask],
    first: int = 0,
) -> list[SimulatedTask]:
    """Return the tasks that serve at the first second.

    These are `minimum`, and as many more as the first visits need by the CPU that the last of the
    `warm_visits` would have taken, whose numbers begin with `first`.
    """
    tasks = [made() for _ in range(design.minimum)]
    serving = len(tasks)
    stretch = max(1, traffic.warm_visits // _STRETCHES)
    rate = visits_per_second(traffic, 0.0)
    turn, demand = 0, 0.0
    for number in range(first, first + traffic.warm_visits):
        for target in chain.from_iterable(targets for targets, _ in workload.steps(number)):
            request = reader.read(target)
            if not edge.fill(number % edge.locations, request):
                turn = (turn + 1) % serving
                _fill_disk(tasks[turn], reader, request)
                demand += request.demand
        if (number - first + 1) % stretch == 0:
            cores = rate * demand / stretch / SECOND
            needed = ceil(100 * cores / (design.vcpus * design.target_cpu_percent))
            serving = min(max(needed, design.minimum), design.maximum)
            tasks += [made() for _ in range(serving - len(tasks))]
            demand = 0.0
    return tasks[:serving]


def _fill_disk(task: SimulatedTask, reader: Reader, request: RequestDemand) -> None:
    image = request.target.image
    if request.kind != _INFO and image:
        layout = reader.layout(image)
        task.blocks.fill(request.image, layout.blocks_of(request.target))
