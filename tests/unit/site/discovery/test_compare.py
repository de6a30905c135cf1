"""What two publications of an identifier mean for those who harvest it."""

import pytest

from vitrine.site.discovery.activities import CREATED, DELETED, MOVED, UPDATED
from vitrine.site.discovery.compare import compare
from vitrine.store.publications import Moved, Publication, Published, Waiting, Withdrawn

BOOK = Published(revision=1, kind="manifest", documents={})
SHELF = Published(revision=1, kind="collection", documents={})
GONE = Withdrawn(revision=2, reason="rights", since="2026-11-23T10:00:00Z")
AWAY = Moved(revision=2, target="new")
WAITING = Waiting(revision=1)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, BOOK, (CREATED, "manifest", "")),
        (WAITING, BOOK, (CREATED, "manifest", "")),
        (GONE, SHELF, (CREATED, "collection", "")),
        (BOOK, BOOK, (UPDATED, "manifest", "")),
        (SHELF, SHELF, (UPDATED, "collection", "")),
        (BOOK, AWAY, (MOVED, "manifest", "new")),
        (SHELF, GONE, (DELETED, "collection", "")),
        (BOOK, WAITING, (DELETED, "manifest", "")),
        (None, WAITING, ("", None, "")),
        (None, GONE, ("", None, "")),
        (WAITING, AWAY, ("", None, "")),
        (GONE, AWAY, ("", None, "")),
    ],
)
def test_only_what_was_or_is_to_be_seen_is_a_change(
    before: Publication | None, after: Publication, expected: tuple[str, str | None, str]
) -> None:
    assert compare(before, after) == expected
