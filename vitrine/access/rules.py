"""Rules of access: how much of an image everybody may see. A record has its rule as text.

    open          everything, as without a rule
    small:1000    the image at the largest size that is stored with at most 1,000 pixels on its
                  longer side, and tiles and details of that
    small:1000:staff    the same; those with the right `staff` see everything
    staff         nothing; those with the right `staff` see everything
    closed        nothing

A text that cannot be read, such as one that a later version wrote, means `closed`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Literal

from vitrine.errors import IdentifierRefused

MIN_SIZE = 256
"""Pixels: the smallest size that is always stored fits into one tile."""
RIGHT = r"[a-z][a-z0-9-]{0,31}"
"""Pattern of a right's name; `stacks/functions/restricted_request.js` has it as well."""
SHARE = "share"
"""Takes the place of a right in the addresses of share links; also the use of their tickets."""
INHERITED = "inherited"
"""Word of curators in place of a rule: the rules of an image's collections hold."""
RESERVED = frozenset({"open", "closed", "small", SHARE, INHERITED})
"""Names that no right may have."""
_FORM = re.compile(rf"small:([1-9][0-9]{{0,8}})(?::({RIGHT}))?|({RIGHT})")


@dataclass(frozen=True, slots=True)
class AccessRule:
    """How much everybody may see, and who may see all of it."""

    shows: Literal["everything", "small", "nothing"]
    size: int = 0
    """Longest side of `small`, in pixels."""
    right: str = ""
    """Name of the right that shows everything; empty: nobody has one."""


OPEN = AccessRule("everything")
CLOSED = AccessRule("nothing")


def parse_rule(text: str) -> str:
    """Return a rule that a person or a file gave, as records have it.

    Raises IdentifierRefused with code `access-invalid`.
    """
    rule = text.strip().lower()
    if _parse_small(rule) is None:
        raise IdentifierRefused(
            "access-invalid",
            f'"{text[:100]}" is no rule of access: it is open, closed, the name of a right such as '
            "staff, or small: and the pixels that the longer side may have, at least "
            f"{MIN_SIZE}, such as small:1000 or small:1000:staff.",
        )
    return rule


@lru_cache(maxsize=1_024)
def read_rule(text: str) -> AccessRule:
    """Return the rule of a record; a record without one is open."""
    return (_parse_small(text) or CLOSED) if text else OPEN


def combine_rules(first: str, second: str) -> str:
    """Return the rule that is as strict as both together; "" if both are "".

    Those with a right see everything only if the other rule lets them as well: of two rules with
    different rights, only that remains which both show to everybody.
    """
    if not first or not second or first == second:
        return first or second
    one, other = read_rule(first), read_rule(second)
    if OPEN in (one, other):
        return first if other == OPEN else second
    right = one.right if one.right == other.right else ""
    if "nothing" in (one.shows, other.shows):
        return right or "closed"
    return f"small:{min(one.size, other.size)}" + (f":{right}" if right else "")


def strictest(rules: Iterable[str]) -> str:
    """Return the rule that is as strict as all of these together; "" if they restrict nothing."""
    combined = reduce(combine_rules, rules, "")
    return "" if read_rule(combined) == OPEN else combined


def _parse_small(text: str) -> AccessRule | None:
    if text in ("open", "closed"):
        return OPEN if text == "open" else CLOSED
    match = _FORM.fullmatch(text)
    if match is None or RESERVED & set(match.groups()):
        return None
    if match[3]:
        return AccessRule("nothing", right=match[3])
    size = int(match[1])
    return AccessRule("small", size, match[2] or "") if size >= MIN_SIZE else None
