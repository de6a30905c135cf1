"""The texts of an object's pages, as they are published: read page by page."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from vitrine.deliver.http.faults import Faults
from vitrine.errors import ObjectMissing, ServiceFailed, Unavailable
from vitrine.ports import ObjectStore
from vitrine.search.content.packed_pages import PackedPage
from vitrine.search.content.ranged_blocks import UnusableIndex
from vitrine.search.content.text_index import TextIndex
from vitrine.store.layout import text_index_key

_PAGES_AT_ONCE = 16
"""Pages that are unpacked together: a block has several."""
T = TypeVar("T")


@dataclass(frozen=True)
class PageTexts:
    """Reads the text index of an object, which has every word of its pages with its boxes."""

    site: ObjectStore
    faults: Faults

    async def read(
        self, identifier: str, name: str, count: int
    ) -> AsyncGenerator[PackedPage | None]:
        """Yield the text of each of `count` canvases; None of all if the index has no name.

        Raises Unavailable.
        """
        if not name:
            for _ in range(count):
                yield None
            return
        key = text_index_key(identifier, name)
        index = await self._run(key, partial(self._open, key))
        for first in range(0, count, _PAGES_AT_ONCE):
            numbers = range(first, min(first + _PAGES_AT_ONCE, count, index.page_count))
            pages = await self._run(key, partial(_read_pages, index, numbers))
            for number in range(first, min(first + _PAGES_AT_ONCE, count)):
                yield pages.get(number)

    def _open(self, key: str) -> TextIndex:
        return TextIndex(lambda start, length: self.site.read(key, start, length).data)

    async def _run(self, key: str, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except ServiceFailed as error:
            self.faults.report("publications-unreadable", str(error))
            raise Unavailable("the bucket of texts does not answer") from error
        except (ObjectMissing, UnusableIndex) as error:
            self.faults.report("publication-damaged", f"{key}: {error}")
            raise Unavailable("the texts of its pages cannot be read; it was logged") from error


def _read_pages(index: TextIndex, numbers: range) -> dict[int, PackedPage]:
    pages = index.pages(numbers)
    index.forget()
    return pages
