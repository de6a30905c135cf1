"""Loads that end with a number of requests, however long a busy machine takes for them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from loadtest.workload.request import Model, Step, Visitor, Workload


def first_visits(workload: Workload, count: int) -> Workload:
    """Return the workload of users who make a fixed number of visits."""
    return replace(workload, model=_FirstVisits(workload.model, count))


@dataclass(frozen=True)
class _FirstVisits:
    model: Model
    count: int

    def visit(self, visitor: Visitor) -> Iterable[Step] | None:
        return self.model.visit(visitor) if visitor.visits < self.count else None
