"""What everybody may see of an image, by its rule of access: all of it, a small image, or nothing.

The small image is the pyramid without its largest levels.
"""

from dataclasses import replace

from vitrine.access.rules import read_rule
from vitrine.errors import AccessDenied
from vitrine.records import Live


def public_image(image: Live) -> tuple[Live, int]:
    """Return the image that everybody may see, and which stored level is its full resolution.

    Raises AccessDenied if that is nothing.
    """
    rule = read_rule(image.access)
    if rule.shows == "everything":
        return image, 0
    if rule.shows == "nothing":
        raise AccessDenied("this image is not public")
    return small_image(image, rule.size)


def small_image(image: Live, side: int) -> tuple[Live, int]:
    """Return the image at the largest stored size with at most `side` pixels on its longer side,
    and the level of that. Raises AccessDenied if there is no such size."""
    for level, size in enumerate(image.levels):
        if max(size) <= side:
            return _without_larger(image, level), level
    raise AccessDenied("this image is shown at a small size only, and is not stored that small")


def visible_image(image: Live) -> Live | None:
    """Return the image that everybody may see, None if that is nothing."""
    try:
        return public_image(image)[0]
    except AccessDenied:
        return None


def described_image(image: Live) -> Live | None:
    """Return the image as manifests describe it, None if they leave it out.

    One that needs a right is described, so that viewers can ask for it.
    """
    rule = read_rule(image.access)
    return image if rule.shows == "nothing" and rule.right else visible_image(image)


def _without_larger(image: Live, level: int) -> Live:
    if level == 0:
        return image
    width, height = image.levels[level]
    return replace(
        image,
        # In validators and names in caches, so that none stands for the stored image.
        version=f"{image.version}-{level}",
        width=width,
        height=height,
        levels=image.levels[level:],
    )
