"""What to answer for an identifier: a pure function of its record (and a redirect's target)."""

from dataclasses import dataclass

from vitrine.records import Gone, Live, Record, Redirect, Removed


@dataclass(frozen=True)
class Serve:
    """200: serve this image."""

    image: Live


@dataclass(frozen=True)
class MovedTo:
    """301: the same request under another identifier."""

    identifier: str


@dataclass(frozen=True)
class Withdrawn:
    """410: the image was here and is not any more."""

    reason: str
    since: str


@dataclass(frozen=True)
class Unknown:
    """404: never heard of."""


Decision = Serve | MovedTo | Withdrawn | Unknown

LONGEST_CHAIN = 8
"""Redirects that a reader follows in a row. Chains are collapsed on write, but two writes are never
one moment, and of two records that a reader remembers one may be older than the other."""


def decide(record: Record | None, target: Record | None = None) -> Decision:
    """Decide from `record`; `target` is what a redirect leads to, at the end of the chain.

    A redirect to a gone target is gone; to nothing, or to no end, unknown.
    """
    match record:
        case Live():
            return Serve(record)
        case Gone():
            return Withdrawn(record.reason, record.changed_at)
        case Redirect():
            match target:
                case Live():
                    return MovedTo(target.identifier)
                case Gone():
                    return Withdrawn(target.reason, target.changed_at)
                case _:
                    return Unknown()
        case Removed() | None:
            return Unknown()
