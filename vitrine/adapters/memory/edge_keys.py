"""The key-value store of the edge's function in memory."""

from collections.abc import Mapping


class MemoryEdgeKeys:
    """A dictionary."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def replace(self, values: Mapping[str, str]) -> None:
        self.values = dict(values)
