"""What an identifier answers: a pure function of its record (and of a redirect's target)."""

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
class WithdrawnIdentifier:
    """410: there was an image, and it was withdrawn."""

    reason: str
    since: str


@dataclass(frozen=True)
class Unknown:
    """404: there is no such identifier."""


Resolution = Serve | MovedTo | WithdrawnIdentifier | Unknown

MAX_CHAIN_LENGTH = 8
"""Redirects that a reader follows in a row. Chains are collapsed on write, but two writes never
happen at the same moment, and of two records in a reader's cache one may be older."""


def resolve(record: Record | None, target: Record | None = None) -> Resolution:
    """Return the answer for `record`; `target` is the record at the end of a redirect's chain.

    A redirect to a withdrawn image is withdrawn; one that leads nowhere, or in a circle, unknown.
    """
    match record:
        case Live():
            return Serve(record)
        case Gone():
            return WithdrawnIdentifier(record.reason, record.changed_at)
        case Redirect():
            match target:
                case Live():
                    return MovedTo(target.identifier)
                case Gone():
                    return WithdrawnIdentifier(target.reason, target.changed_at)
                case _:
                    return Unknown()
        case Removed() | None:
            return Unknown()
