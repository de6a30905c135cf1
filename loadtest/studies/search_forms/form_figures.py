"""What an answer of either form takes."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A query's objects and their cards; requests and bytes are those of the index's store."""

    found: list[int]
    """Numbers of all objects, the best first."""
    cpu_ms: float
    requests: int
    card_requests: int
    """Number of `requests` that were for cards."""
    bytes: int
    browser_bytes: int
    """Bytes that reach the browser, compressed as the edge does it."""
