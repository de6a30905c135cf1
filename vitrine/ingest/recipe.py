"""Recipes: the named, versioned, frozen parameters of a conversion."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How an access master is made. Whoever changes a parameter raises `revision`."""

    name: str
    revision: int
    tile_size: int
    """Width and height of a tile in pixels."""
    quality: int
    """JPEG quality, 1 to 100."""
    background: tuple[int, int, int]
    """What shows through transparent pixels: sRGB, 0 to 255."""

    @property
    def label(self) -> str:
        """Name and revision: what the version of an image is computed from."""
        return f"{self.name}-{self.revision}"


STANDARD = Recipe(
    name="standard", revision=1, tile_size=256, quality=90, background=(255, 255, 255)
)

RECIPES: dict[str, Recipe] = {STANDARD.name: STANDARD}
"""Recipes by name, as the setting `recipe` chooses them."""
