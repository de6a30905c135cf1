"""Rules: how much of an image everybody may see. A record has its rule as text.

    open          everything, as without a rule
    small:1000    the image at the largest size that is stored with at most 1,000 pixels on its
                  longer side, and tiles and details of that
    closed        nothing

A text that cannot be read, such as one that a later version wrote, means `closed`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from vitrine.errors import IdentifierRefused

LEAST_SIZE = 256
"""Pixels: the smallest size that is always stored fits into one tile."""
_SMALL = re.compile(r"small:([1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class AccessRule:
    """How much everybody may see."""

    shows: Literal["everything", "small", "nothing"]
    size: int = 0
    """Longest side of `small`, in pixels."""


OPEN = AccessRule("everything")
CLOSED = AccessRule("nothing")


def parse_rule(text: str) -> str:
    """Return a rule that a person or a file gave, as records have it.

    Raises IdentifierRefused with code `access-invalid`.
    """
    rule = text.strip().lower()
    if _parse(rule) is None:
        raise IdentifierRefused(
            "access-invalid",
            f'"{text[:100]}" is no rule of access: it is open, closed, or small: and the pixels '
            f"that the longer side may have, at least {LEAST_SIZE}, such as small:1000.",
        )
    return rule


@lru_cache(maxsize=1_024)
def read_rule(text: str) -> AccessRule:
    """Return the rule of a record; a record without one is open."""
    return (_parse(text) or CLOSED) if text else OPEN


def _parse(text: str) -> AccessRule | None:
    if text in ("open", "closed"):
        return OPEN if text == "open" else CLOSED
    match = _SMALL.fullmatch(text)
    size = int(match[1]) if match else 0
    return AccessRule("small", size) if size >= LEAST_SIZE else None
