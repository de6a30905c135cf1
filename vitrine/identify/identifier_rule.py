"""The rule that takes an identifier from a master's key, if the object's metadata has none."""

import re
from dataclasses import dataclass
from functools import cached_property

from vitrine.errors import MasterRejected, Rejection

STEM = r"(?:.*/)?(?P<identifier>[^/]+?)(?:\.[^./]+)?"
"""The file name without its last extension: `a/b/night.watch.tif` -> `night.watch`."""


@dataclass(frozen=True)
class IdentifierRule:
    """A regular expression over the whole key, whose group `identifier` is the identifier."""

    pattern: str = STEM

    def __post_init__(self) -> None:
        """Raise ValueError for a pattern that is not such an expression."""
        try:
            groups = re.compile(self.pattern).groupindex
        except re.error as error:
            raise ValueError(f"identifier pattern {self.pattern!r}: {error}") from None
        if "identifier" not in groups:
            raise ValueError(f"identifier pattern {self.pattern!r} has no group (?P<identifier>…)")

    def identifier(self, master_key: str) -> str:
        """Return the identifier as it is in the key, not yet normalised.

        Raises MasterRejected with code `identifier-missing` for a key that does not match.
        """
        match = self._expression.fullmatch(master_key)
        if match is None or not match["identifier"]:
            raise MasterRejected(
                Rejection(
                    "identifier-missing",
                    "The key is not of the form from which identifiers are taken here; upload the "
                    "master under another key, or give its identifier with it.",
                    master_key[:200],
                )
            )
        return match["identifier"]

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.DOTALL)
