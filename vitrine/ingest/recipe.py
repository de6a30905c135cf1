"""Recipes: the named, versioned, frozen parameters of a conversion."""

from dataclasses import dataclass
from typing import Literal

from vitrine.store.tiff.tags import EXIF_COLOUR_SPACE, EXIF_DATE_TIME_ORIGINAL, Tag

DESCRIPTIVE_TAGS: frozenset[int] = frozenset(
    {
        Tag.IMAGE_DESCRIPTION,
        Tag.ARTIST,
        Tag.COPYRIGHT,
        Tag.DATE_TIME,
        EXIF_DATE_TIME_ORIGINAL,
        EXIF_COLOUR_SPACE,
    }
)
"""Description, creator, rights, date, colour. No place, serial number or owner's name; of XMP and
IPTC, which may hold all of these, only what `vitrine.deliver.embed.xmp_fields` lists."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How an access master is made. A change of any parameter needs a higher `revision`."""

    name: str
    revision: int
    writer: Literal["vitrine", "tiffsave"] = "vitrine"
    """Ours (directories first, YCbCr), or plain libvips (RGB from quality 90 on)."""
    tile_size: int = 256
    """Width and height of a tile in pixels, a multiple of 16."""
    quality: int = 90
    """JPEG quality, 1 to 100."""
    subsampling: Literal["444", "422", "420"] = "444"
    """Chroma subsampling; the writer of libvips chooses its own."""
    reduced_quality: int | None = None
    """JPEG quality of the levels below full resolution; None: the same."""
    background: tuple[int, int, int] = (255, 255, 255)
    """Colour behind transparent pixels: sRGB, 0 to 255."""
    derivative_tags: frozenset[int] = DESCRIPTIVE_TAGS
    """TIFF and EXIF tags that a derivative may carry."""

    def quality_of(self, level: int) -> int:
        """Return the JPEG quality of a level; 0 is full resolution."""
        return (level and self.reduced_quality) or self.quality

    @property
    def label(self) -> str:
        """Name and revision: what the version of an image is computed from."""
        return f"{self.name}-{self.revision}"


STANDARD = Recipe(name="standard", revision=4)
"""Docs and measurements: docs/adr/0004-access-master.md."""

LIGHT = Recipe(name="light", revision=1, tile_size=512, reduced_quality=80)
"""A third of the requests and two thirds of the bytes of a first look; full resolution is that of
the standard recipe. Measurements: docs/adr/0028-a-light-recipe.md."""

TIFFSAVE = Recipe(name="tiffsave", revision=1, writer="tiffsave")
"""The pyramid that libvips writes by itself, for comparison."""

RECIPES: dict[str, Recipe] = {recipe.name: recipe for recipe in (STANDARD, LIGHT, TIFFSAVE)}
"""Recipes by name, as the setting `recipe` chooses them."""
