"""What all pages of an environment share, and what a page says of itself to machines."""

from collections.abc import Callable
from dataclasses import dataclass

from vitrine.iiif.presentation.model import Texts
from vitrine.iiif.size import Limits
from vitrine.records import Live
from vitrine.site.pages.pictures import PublishedPicture
from vitrine.site.pages.theme import Theme


@dataclass(frozen=True, kw_only=True)
class Site:
    """The site that pages belong to."""

    base: str
    """Scheme and host of its addresses."""
    limits: Limits
    """Limits of the image service."""
    downloads: bool
    """True if it also sends whole images that are beyond them."""
    theme: Theme
    titles: Callable[[str], Texts]
    """Returns what a collection is called; nothing for one that has no record."""

    def picture(self, image: Live) -> PublishedPicture:
        """Return an image as this site shows it."""
        return PublishedPicture(image, self.limits, self.downloads)

    def suffix(self, language: str) -> str:
        """Return what the keys of this language's pages have; the site's first has none."""
        return self.theme.suffix(language)


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """What a page says of itself where others link to it (Open Graph)."""

    title: str
    description: str
    image: str = ""
    """Address of a JPEG."""
    width: int = 0
    height: int = 0
    alt: str = ""
