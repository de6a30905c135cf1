"""A viewer session: somebody opens an image in OpenSeadragon, zooms, pans, and leaves."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import ClassVar

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.request import Model, Rng, Step, Visitor
from loadtest.workload.target import Target, information_target
from loadtest.workload.tiles import GridTile, VisibleArea, places_for, tile_target

ZOOM = 2.0
"""OpenSeadragon's `zoomPerClick`."""
_MAX_SCALE = 1.1
_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1))


@dataclass(frozen=True, kw_only=True)
class ViewerSession:
    """The image information, the overview, then views of a Markov chain: in, out, pan, leave."""

    needs_images: ClassVar[bool] = True
    ends: ClassVar[bool] = False

    viewport: tuple[int, int] = (1280, 800)
    """Width and height of the viewer on the screen, in CSS pixels."""
    device_pixel_ratio: float = 1.0
    """Pixels of the screen per CSS pixel: sharper screens get larger levels."""
    zoom_in: float = 45.0
    """Weight of zooming in, among what may come after a view."""
    zoom_out: float = 15.0
    """Weight of zooming out."""
    pan: float = 30.0
    """Weight of moving on, by a fifth to four fifths of the view."""
    leave: float = 10.0
    """Weight of leaving; sessions have, on average, all weights divided by this views."""
    think_seconds: float = 3.0
    """Mean time somebody looks at a view; exponentially distributed."""

    def __post_init__(self) -> None:
        weights = (self.zoom_in, self.zoom_out, self.pan)
        if min(weights) < 0 or self.leave <= 0:
            raise InvalidScenario(
                "zoom_in, zoom_out and pan must not be below 0, and leave must be above it: "
                "a session that nobody leaves has no end"
            )
        if min(self.viewport) < 1 or self.device_pixel_ratio <= 0 or self.think_seconds < 0:
            raise InvalidScenario(
                "viewport and device_pixel_ratio must be above 0, think_seconds not below"
            )

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """Return the model for these images."""
        assert catalogue
        return _Sessions(self, catalogue)


@dataclass(frozen=True)
class _Sessions:
    options: ViewerSession
    catalogue: Catalogue

    def visit(self, visitor: Visitor) -> Iterator[Step]:
        """Yield one session with one image. Tiles that it already has are not requested again."""
        image = self.catalogue.pick(visitor.random)
        yield (information_target(image),), 0.0
        seen: set[GridTile] = set()
        pending: list[Target] = []
        seconds = 0.0
        for view in self._draw_views(image, visitor.random):
            places = places_for(image, view, seen)
            if places and pending:
                yield pending, seconds
                pending, seconds = [], 0.0
            seen.update(places)
            pending += [tile_target(image, place) for place in places]
            seconds += _draw_exponential(visitor.random, self.options.think_seconds)
        yield pending, seconds

    def _draw_views(self, image: Image, random: Rng) -> Iterator[VisibleArea]:
        """Yield the views, the overview first. Scales are those of the screen's pixels."""
        options = self.options
        ratio = options.device_pixel_ratio
        screen_width, screen_height = (side * ratio for side in options.viewport)
        home = min(screen_width / image.width, screen_height / image.height)
        limits = (home, max(home, _MAX_SCALE * ratio))
        scale, x, y = home, image.width / 2, image.height / 2
        while True:
            width, height = screen_width / scale, screen_height / scale
            x, y = _move_inside(x, width, image.width), _move_inside(y, height, image.height)
            yield VisibleArea(x - width / 2, y - height / 2, width, height, scale)
            action = self._draw_action(random, scale, limits)
            if action == "leave":
                return
            if action == "pan":
                across, down = _STEPS[int(random() * len(_STEPS))]
                share = 0.2 + 0.6 * random()
                x, y = x + across * share * width, y + down * share * height
                continue
            if action == "in":
                x, y = x + (random() - 0.5) * width / 2, y + (random() - 0.5) * height / 2
            scale = scale * ZOOM if action == "in" else scale / ZOOM
            scale = min(max(scale, limits[0]), limits[1])

    def _draw_action(self, random: Rng, scale: float, limits: tuple[float, float]) -> str:
        """Choose the next action: the overview can neither be left outwards nor panned."""
        options = self.options
        chance = random() * (options.zoom_in + options.zoom_out + options.pan + options.leave)
        if chance < options.leave:
            return "leave"
        chance -= options.leave
        if scale <= limits[0]:
            return "in" if scale < limits[1] else "pan"
        if chance < options.zoom_out:
            return "out"
        if chance < options.zoom_out + options.zoom_in and scale < limits[1]:
            return "in"
        return "pan"


def _move_inside(middle: float, length: float, whole: float) -> float:
    """Return the view's middle, moved so that a view smaller than the image stays inside it."""
    if length >= whole:
        return whole / 2
    return min(max(middle, length / 2), whole - length / 2)


def _draw_exponential(random: Rng, mean: float) -> float:
    """Rounded to milliseconds: the last digits of a logarithm are the C library's."""
    return round(-mean * log(1.0 - random()), 3)
