"""An index page: many thumbnails at once, of images not requested before."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue
from loadtest.workload.request import Model, Step, Visitor, draw_seconds
from loadtest.workload.target import whole_target


@dataclass(frozen=True, kw_only=True)
class IndexPage:
    """Pages of thumbnails; no image comes again, on any page, before all have come."""

    needs_images: ClassVar[bool] = True
    ends: ClassVar[bool] = False

    thumbnails: int = 60
    """Thumbnails on a page; fewer if the catalogue has fewer images."""
    side: int = 128
    """Longer side of a thumbnail in pixels."""
    think_seconds: tuple[float, float] = (5.0, 15.0)
    """Least and most seconds that somebody looks at a page."""

    def __post_init__(self) -> None:
        if self.thumbnails < 1 or self.side < 1:
            raise InvalidScenario("thumbnails and side must be above 0")

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """Return the model for these images."""
        assert catalogue
        return _Pages(self, catalogue)


@dataclass(frozen=True)
class _Pages:
    options: IndexPage
    catalogue: Catalogue

    def visit(self, visitor: Visitor) -> Iterable[Step]:
        """Return one page."""
        count = min(self.options.thumbnails, len(self.catalogue.images))
        first = (visitor.visits * visitor.users + visitor.number) * count
        images = [self.catalogue.nth(number) for number in range(first, first + count)]
        targets = [whole_target(image, self.options.side) for image in images]
        return ((targets, draw_seconds(visitor.random, self.options.think_seconds)),)
