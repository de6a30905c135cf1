"""A visit to the site: home, a collection, then objects, each looked at in the viewer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.request import Model, Step, Visitor, draw_seconds
from loadtest.workload.target import INFO, PAGE, Target
from vitrine.site.pages.pictures import FIRST_PIXELS

ASSET = "asset"
"""The class of what pages load: style sheets, scripts, icons, the index of the search."""
PICTURE = "picture"
"""The class of an object's picture, which its page shows before the viewer comes."""
STAGE = 0.66
"""Share of the screen's height that such a picture takes at most (site/viewer/viewer.css)."""


@dataclass(frozen=True, kw_only=True)
class SiteVisit:
    """Pages with what they load, and the views of a viewer session without image information.

    The first view is the page's own picture; only finer tiles are requested.

    What the browser keeps (style sheets, scripts) is requested once a visit, on its first page.
    """

    needs_images: ClassVar[bool] = True
    ends: ClassVar[bool] = False

    home: str = "/"
    """Path of the first page."""
    collections: tuple[str, ...] = ()
    """Paths of the pages of collections, each as often."""
    searches: tuple[str, ...] = ()
    """Paths that a search loads; empty: nobody searches."""
    assets: tuple[str, ...] = (
        *("/style.css", "/theme/theme.css", "/icon.svg", "/viewer/start.js", "/viewer/viewer.js"),
        *("/openseadragon/openseadragon.min.js", "/viewer/words/en.json"),
    )
    """Paths of what all pages load."""
    search_share: float = 0.2
    """Share of the visits that search."""
    cards: int = 24
    """Pictures of a collection's page that come into sight."""
    card_side: int = 400
    """Longer side of such a picture in pixels, about: it is one of the levels."""
    objects: float = 2.0
    """Objects that somebody opens, on average."""
    viewport: tuple[int, int] = (1280, 800)
    """Width and height of the viewer on the screen, in CSS pixels."""
    think_seconds: tuple[float, float] = (3.0, 10.0)
    """Least and most seconds that somebody looks at a page."""

    def __post_init__(self) -> None:
        if self.objects < 1 or self.cards < 0 or self.card_side < 1:
            raise InvalidScenario("objects, cards and card_side must be above 0")
        if not 0 <= self.search_share <= 1:
            raise InvalidScenario("search_share is from 0 to 1")
        for path in (self.home, *self.collections, *self.searches, *self.assets):
            if not path.startswith("/"):
                raise InvalidScenario(f"{path!r} must begin with a slash")

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """Return the model for these images, each of which is an object of the same name."""
        assert catalogue
        return _Visits(self, catalogue)


@dataclass(frozen=True)
class _Visits:
    options: SiteVisit
    catalogue: Catalogue

    def visit(self, visitor: Visitor) -> Iterator[Step]:
        """Yield one visit."""
        options, random = self.options, visitor.random
        yield self._open_page(
            visitor, options.home, [Target(ASSET, path) for path in options.assets]
        )
        if options.searches and random() < options.search_share:
            found = [Target(ASSET, path) for path in options.searches]
            yield found, draw_seconds(random, options.think_seconds)
        elif options.collections:
            place = int(random() * len(options.collections))
            cards = [self.catalogue.nth(number) for number in range(self._count)]
            pictures = [_card_target(image, options.card_side) for image in cards]
            yield self._open_page(visitor, options.collections[place], pictures)
        while True:
            yield from self._view_object(visitor, self.catalogue.pick(random))
            if random() < 1 / options.objects:
                return

    @property
    def _count(self) -> int:
        return min(self.options.cards, len(self.catalogue.images))

    def _open_page(self, visitor: Visitor, path: str, loaded: Iterable[Target]) -> Step:
        seconds = draw_seconds(visitor.random, self.options.think_seconds)
        return [Target(PAGE, path), *loaded], seconds

    def _view_object(self, visitor: Visitor, image: Image) -> Iterator[Step]:
        """Yield an object's page and the views of its image, whose information the page has."""
        name = image.base.rpartition("/")[2]
        picture = _screen_picture(image, self.options.viewport)
        step, pause = [Target(PAGE, f"/objects/{name}"), picture], 0.0
        viewer = ViewerSession(viewport=self.options.viewport)
        for targets, seconds in viewer.bind(Catalogue((image,)), 0).visit(visitor) or ():
            finer = [one for one in targets if one.kind != INFO and _is_finer(one, picture)]
            if finer:
                yield step, pause
                step, pause = finer, 0.0
            pause += seconds
        yield step, pause


def _screen_picture(image: Image, viewport: tuple[int, int]) -> Target:
    """Return the smallest level that is no smaller than its place on the screen."""
    across = min(viewport[0], STAGE * viewport[1] * image.width / image.height)
    held = [size for size in image.levels if size[0] * size[1] <= FIRST_PIXELS]
    fitting = [size for size in held if size[0] >= across] or held[:1]
    width, height = size = fitting[-1]
    whole = "max" if size == image.largest else f"{width},{height}"
    path = f"{image.base}/full/{whole}/0/default.webp"
    return Target(PICTURE, path, image, (0, 0, image.width, image.height), width, height)


def _is_finer(tile: Target, picture: Target) -> bool:
    return tile.width * picture.region[2] > 1.4 * picture.width * tile.region[2]


def _card_target(image: Image, side: int) -> Target:
    """Return the level nearest to a size: pages only name those that are held."""
    width, height = size = min(image.levels, key=lambda level: abs(max(level) - side))
    whole = "max" if size == image.largest else f"{width},{height}"
    path = f"{image.base}/full/{whole}/0/default.jpg"
    return Target("card", path, image, (0, 0, image.width, image.height), width, height)
