"""The rotation parameter: mirrored or not, then turned clockwise (Image API 3.0, section 4.3)."""

from dataclasses import dataclass
from fractions import Fraction

from vitrine.errors import InvalidRequest
from vitrine.iiif.numbers import parse_decimal


@dataclass(frozen=True)
class Rotation:
    """Mirrored on the vertical axis first, then turned; `degrees` from 0 to less than 360."""

    degrees: Fraction
    mirrored: bool

    @property
    def is_quarter_turn(self) -> bool:
        """Whether it is a multiple of 90 degrees."""
        return self.degrees % 90 == 0

    def canonical(self) -> str:
        """As the canonical URI writes it."""
        number = f"{float(self.degrees):.10f}".rstrip("0").rstrip(".")
        return f"{'!' if self.mirrored else ''}{number}"


def parse_rotation(text: str) -> Rotation:
    """Raises InvalidRequest."""
    degrees = parse_decimal(text.removeprefix("!"), "the rotation")
    if degrees > 360:
        raise InvalidRequest("the rotation is more than 360 degrees")
    return Rotation(degrees % 360, text.startswith("!"))
