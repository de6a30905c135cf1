"""What a master may measure at most."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Pixels of the largest page, bytes of the file."""

    pixels: int
    bytes: int
