"""The rotation parameter: mirrored or not, then turned clockwise (Image API 3.0, section 4.3)."""

from dataclasses import dataclass
from functools import lru_cache

from vitrine.errors import InvalidRequest
from vitrine.iiif.numbers import parse_decimal


@dataclass(frozen=True)
class Rotation:
    """Mirrored on the vertical axis first, then turned by 0, 90, 180 or 270 `degrees`."""

    degrees: int
    mirrored: bool

    def canonical(self) -> str:
        """Return the rotation as the canonical URI writes it."""
        return f"{'!' if self.mirrored else ''}{self.degrees}"


@lru_cache(maxsize=64)
def parse_rotation(text: str) -> Rotation:
    """Parse the rotation parameter. Raises InvalidRequest, also for a turn that is not offered.

    "A rotation value that is out of range or unsupported SHOULD result in a 400" (section 4.3
    of both versions).
    """
    degrees = parse_decimal(text.removeprefix("!"), "the rotation")
    if degrees > 360:
        raise InvalidRequest("the rotation is more than 360 degrees")
    if degrees % 90:
        raise InvalidRequest("only rotations by 0, 90, 180, 270 and 360 degrees are offered")
    return Rotation(int(degrees) % 360, text.startswith("!"))
