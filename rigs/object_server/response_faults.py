"""Which answers of the object server go wrong, how, and in what order."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, Self


class ResponseFault(StrEnum):
    """A fault, as a client of S3 sees it."""

    INTERNAL_ERROR = "internal_error"
    """500 InternalError."""
    SLOW_DOWN = "slow_down"
    """503 SlowDown."""
    RESET = "reset"
    """The connection is reset in the middle of the body."""
    SHORT = "short"
    """The connection is closed in order, but in the middle of the body."""
    STALL = "stall"
    """Half the body, silence for `seconds`, the end of the connection."""
    SILENT = "silent"
    """Nothing at all for `seconds`, then the right answer."""
    TRICKLE = "trickle"
    """The right answer in ten pieces that take `seconds` together."""
    ZEROS = "zeros"
    """An answer of the right length and of nothing but zeros."""
    FLIPPED = "flipped"
    """The right answer but for one bit in each 8 KiB."""
    SHIFTED = "shifted"
    """An answer of the right length that begins some bytes late."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Every `every`-th GET of keys like `key`, after `skip` of them, `times` times (0: always).

    `each`: of reads that begin at the same byte of the same object, the first `each` (0: all).
    """

    kind: ResponseFault
    key: str = "*"
    skip: int = 0
    every: int = 1
    times: int = 0
    each: int = 0
    seconds: float = 0.0

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read a fault from its JSON document. Raises ValueError, TypeError."""
        unknown = set(document) - {item.name for item in fields(cls)}
        if unknown:
            raise ValueError(f"a fault has no {', '.join(sorted(unknown))}")
        return cls(**{**document, "kind": ResponseFault(document["kind"])})


@dataclass
class _Rule:
    fault: Fault
    seen: int = 0
    fired: int = 0
    places: Counter[tuple[str, int]] = field(default_factory=Counter)

    def meets(self, key: str, start: int) -> bool:
        """Count a request, and return True if it is to fail."""
        fault = self.fault
        if not fnmatchcase(key, fault.key) or (fault.times and self.fired == fault.times):
            return False
        self.seen += 1
        self.places[key, start] += 1
        if fault.each and self.places[key, start] > fault.each:
            return False
        if self.seen <= fault.skip or (self.seen - fault.skip - 1) % fault.every:
            return False
        self.fired += 1
        return True


@dataclass
class FaultSchedule:
    """The faults in force; the first that meets a request has it."""

    rules: list[_Rule] = field(default_factory=list)

    def replace(self, faults: Iterable[Fault]) -> None:
        """Forget the old faults and what they counted."""
        self.rules = [_Rule(fault) for fault in faults]

    def next(self, key: str, start: int = 0) -> Fault | None:
        """Return the fault of this GET of bytes from `start` on, if it has one."""
        for rule in self.rules:
            if rule.meets(key, start):
                return rule.fault
        return None
