"""A request: its target, its user, and how long the user looks at the answer."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol

from loadtest.workload.target import Target

Rng = Callable[[], float]
"""Numbers from 0 up to, not including, 1. `random.Random.random` is the only method whose sequence
Python promises never to change, so no other is used."""
Step = tuple[Sequence[Target], float]
"""Targets requested at once, and the seconds that pass once all are answered."""


class UserRequest(NamedTuple):
    """One request of one user.

    Those with the same `step` are sent together, as a browser does over several connections; the
    next step begins `think_seconds` of the last one after all are answered.
    """

    target: Target
    think_seconds: float
    user: int
    step: int

    @property
    def kind(self) -> str:
        """The class it is counted in."""
        return self.target.kind

    @property
    def path(self) -> str:
        """Path as sent: percent-encoded, from the host's root on."""
        return self.target.path


@dataclass(slots=True)
class Visitor:
    """A user: `number`, from 0, of `users`; `visits` counts earlier visits."""

    number: int
    users: int
    random: Rng
    visits: int = 0


class Model(Protocol):
    """A way of making requests. Stateless: a visit follows from its visitor alone."""

    def visit(self, visitor: Visitor) -> Iterable[Step] | None:
        """Return the steps of a session, a page or a single request; None: there are no more."""
        ...


@dataclass(frozen=True)
class Workload:
    """A model with a seed: a user's requests are always the same, whatever the others', on any
    Python."""

    model: Model
    seed: int
    ends: bool = False
    """True if there is a last request: then the users share one list between them."""
    warm: Sequence[Target] = ()
    """Targets to request once, before everything else."""

    def requests(self, user: int, users: int = 1) -> Iterator[UserRequest]:
        """Yield the requests of user number `user` of `users`, one visit after the other."""
        visitor = Visitor(user, users, Random(f"{self.seed}/{user}").random)
        step = 0
        while (visit := self.model.visit(visitor)) is not None:
            for targets, think_seconds in visit:
                for target in targets[:-1]:
                    yield UserRequest(target, 0.0, user, step)
                yield UserRequest(targets[-1], think_seconds, user, step)
                step += 1
            visitor.visits += 1

    def visit(self, number: int) -> Iterator[UserRequest]:
        """Yield one visit, for simulations whose visitors come and leave; `number` is its user."""
        for step, (targets, think_seconds) in enumerate(self.steps(number)):
            for target in targets[:-1]:
                yield UserRequest(target, 0.0, number, step)
            yield UserRequest(targets[-1], think_seconds, number, step)

    def steps(self, number: int) -> Iterator[Step]:
        """Return the same visit, step by step."""
        visitor = Visitor(number, 1, Random(f"{self.seed}/visit/{number}").random, number)
        return iter(self.model.visit(visitor) or ())


def draw_seconds(random: Rng, bounds: tuple[float, float]) -> float:
    """Return seconds between the bounds, all equally likely."""
    low, high = bounds
    return low + (high - low) * random()
