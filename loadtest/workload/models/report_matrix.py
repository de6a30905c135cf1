"""The museum's Locust test: sizes of sources by sizes of derivatives.

Source: Getty, Common Image Service, Research & Design Report (2019), 3.2.3, 3.2.4 and appendix 2.
Its text gives 50 thumbnails, 10 of 3000 pixels and 1 native per image; its tables count tile, 128,
1024 and 4096 as 10 : 10 : 4 : 1, over twelve rows.
"""

from bisect import bisect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import inf
from typing import ClassVar, Literal

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.request import Model, Rng, Step, Visitor, draw_seconds
from loadtest.workload.target import Target, native_target, whole_target
from loadtest.workload.tiles import GridTile, tile_grid, tile_target

CLASSES = {"0-10": (0.0, 10.0), "10-75": (10.0, 75.0), "75-": (75.0, inf)}
"""Classes of sources, in megapixels."""
WEIGHTS = {
    "tables": {"tile": 20, "128": 20, "1024": 8, "4096": 2},
    "text": {"128": 50, "3000": 10, "native": 1},
}
Draw = Callable[[Image, Rng], Target]


@dataclass(frozen=True, kw_only=True)
class ReportMatrix:
    """Every request draws a class of sources, an image of it, and a size."""

    needs_images: ClassVar[bool] = True
    ends: ClassVar[bool] = False

    weights: Literal["tables", "text"] = "tables"
    """Sizes and their frequencies: as the report's tables count them, or as its text says."""
    classes: tuple[str, ...] = ()
    """Sources, in megapixels, each as often: of `0-10`, `10-75` and `75-`; empty: those of which
    the catalogue has images."""
    think_seconds: tuple[float, float] = (0.01, 0.1)
    """Least and most seconds between an answer and the next request."""

    def __post_init__(self) -> None:
        unknown = [name for name in self.classes if name not in CLASSES]
        if unknown:
            raise InvalidScenario(
                f"classes: {unknown[0]!r} is not a class; there are {', '.join(CLASSES)}"
            )

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """Return the model. Raises InvalidScenario when a requested class has no image."""
        assert catalogue
        rows: list[tuple[Catalogue, list[Draw]]] = []
        weights = WEIGHTS[self.weights]
        for name in self.classes or _present_classes(catalogue):
            images = catalogue.between(*CLASSES[name])
            if images is None:
                raise InvalidScenario(
                    f"the catalogue has no image of {name} megapixels: add one, or name the "
                    f"classes there are, as in classes = {_present_classes(catalogue)}"
                )
            rows.append((images, [_make_drawer(size, f"{name} {size}") for size in weights]))
        return _Matrix(rows, list(accumulate(weights.values())), self.think_seconds)


@dataclass(frozen=True)
class _Matrix:
    rows: list[tuple[Catalogue, list[Draw]]]
    weights: list[int]
    """Accumulated."""
    think_seconds: tuple[float, float]

    def visit(self, visitor: Visitor) -> Iterable[Step]:
        """Return one request."""
        random, weights = visitor.random, self.weights
        images, draws = self.rows[int(random() * len(self.rows))]
        draw = draws[bisect(weights, random() * weights[-1])]
        target = draw(images.pick(random), random)
        return (((target,), draw_seconds(random, self.think_seconds)),)


def _make_drawer(size: str, kind: str) -> Draw:
    if size == "tile":
        return partial(_some_tile, kind)
    if size == "native":
        return lambda image, random: native_target(image, kind)
    return partial(_draw_whole, int(size), kind)


def _draw_whole(side: int, kind: str, image: Image, random: Rng) -> Target:
    return whole_target(image, side, kind)


def _some_tile(kind: str, image: Image, random: Rng) -> Target:
    """Any tile of any level; each level is as likely, as it is when somebody zooms."""
    level = int(random() * len(image.levels))
    columns, rows = tile_grid(image, level)
    place = GridTile(level, int(random() * columns), int(random() * rows))
    return tile_target(image, place, kind)


def _present_classes(catalogue: Catalogue) -> list[str]:
    return [name for name, bounds in CLASSES.items() if catalogue.between(*bounds)]
