"""An edge cache in memory, which records its invalidations."""

import itertools
from collections.abc import Collection

ALL_IMAGES, ALL_MANIFESTS = "*", "/presentation/*"


class MemoryEdgeCache:
    """`dropped` holds the tags of each invalidation, in order."""

    def __init__(self) -> None:
        self.dropped: list[list[str]] = []
        self._known: dict[str, str] = {}
        self._numbers = itertools.count(1)

    def invalidate(self, tags: Collection[str], reference: str) -> str:
        if reference not in self._known:
            self._known[reference] = f"I{next(self._numbers)}"
            self.dropped.append(sorted(tags))
        return self._known[reference]

    def invalidate_all_images(self, reference: str) -> str:
        return self.invalidate([ALL_IMAGES], reference)

    def invalidate_all_manifests(self, reference: str) -> str:
        return self.invalidate([ALL_MANIFESTS], reference)
