"""The state where earlier versions kept it: at addresses, so that everybody could read it."""

import gzip
from collections.abc import Collection

from vitrine.errors import ObjectMissing
from vitrine.ports import ObjectStore
from vitrine.present.pages.page_files import JSON, PageFile
from vitrine.store.site_layout import PREVIOUS_SEARCH_CLAIM, PREVIOUS_SEARCH_ROWS

_EMPTIED = (
    PageFile(PREVIOUS_SEARCH_CLAIM, b"{}", JSON, status=404),
    PageFile(
        PREVIOUS_SEARCH_ROWS,
        gzip.compress(b'{"form":0}\n', mtime=0),
        "application/gzip",
        status=404,
    ),
)
"""What an earlier version takes for no claim and no state, should one be deployed again."""


def find_previous_state(site: ObjectStore) -> list[str]:
    """Return the keys below which an earlier version wrote since they were emptied."""
    return [file.key for file in _EMPTIED if _is_written(site, file)]


def empty_previous_state(site: ObjectStore, keys: Collection[str]) -> None:
    """Empty these; no role of ours may delete. Raises TransientError."""
    for file in _EMPTIED:
        if file.key in keys:
            site.put(file.key, file.body, content_type=file.content_type, metadata=file.metadata)


def _is_written(site: ObjectStore, emptied: PageFile) -> bool:
    try:
        return site.head(emptied.key).metadata != emptied.metadata
    except ObjectMissing:
        return False
