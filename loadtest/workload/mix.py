"""Several models at once, by weight."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue
from loadtest.workload.models import Options
from loadtest.workload.request import Model, Step, Visitor


@dataclass(frozen=True)
class MixPart:
    """One model of a mix. `weight` counts visits, not requests: a session has many of them."""

    weight: float
    options: Options


@dataclass(frozen=True)
class Mix:
    """Every visit draws one of the parts."""

    ends: ClassVar[bool] = False

    parts: Sequence[MixPart]

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise InvalidScenario("a mix needs two parts or more")
        if any(part.weight <= 0 for part in self.parts):
            raise InvalidScenario("the weight of each part must be above 0")
        if any(part.options.ends for part in self.parts):
            raise InvalidScenario(
                "a part of a mix must not end: cache-percent cannot be one, "
                "and url-list only with repeat = true"
            )

    @property
    def needs_images(self) -> bool:
        """True if any part does."""
        return any(part.options.needs_images for part in self.parts)

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """Raises InvalidScenario where a part cannot use the images."""
        models = [part.options.bind(catalogue, seed) for part in self.parts]
        return _Mixed(models, [part.weight for part in self.parts])


@dataclass(frozen=True)
class _Mixed:
    models: Sequence[Model]
    weights: Sequence[float]

    @cached_property
    def _total(self) -> float:
        return sum(self.weights)

    def visit(self, visitor: Visitor) -> Iterable[Step] | None:
        """Return one visit of one part."""
        chance = visitor.random() * self._total
        for model, weight in zip(self.models[:-1], self.weights, strict=False):
            if chance < weight:
                return model.visit(visitor)
            chance -= weight
        return self.models[-1].visit(visitor)
