"""Reads of the object server, and how often the same bytes were read."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Read:
    """One GET or HEAD of an object. `start` and `length` in bytes, of what was asked and is there.

    `sent` bytes of it left us, fewer than `length` where a fault was injected.
    """

    method: str
    key: str
    status: int
    etag: str = ""
    start: int = 0
    length: int = 0
    sent: int = 0
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class Summary:
    """`repeated` bytes were sent although they, or a part of them, had been before."""

    reads: int
    bytes: int
    repeated: int


def summarise_reads(reads: Iterable[Read]) -> Summary:
    """Count requests and bytes. The same range of two versions of an object is not the same."""
    spans: dict[tuple[str, str], list[tuple[int, int]]] = {}
    count = total = distinct = 0
    for read in reads:
        count += 1
        total += read.sent
        spans.setdefault((read.key, read.etag), []).append((read.start, read.start + read.sent))
    for ranges in spans.values():
        reached = 0
        for start, end in sorted(ranges):
            distinct += max(0, end - max(start, reached))
            reached = max(reached, end)
    return Summary(reads=count, bytes=total, repeated=total - distinct)
