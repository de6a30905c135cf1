"""What publishing an object came to."""

from dataclasses import dataclass

from vitrine.store.publications import Publication, Waiting, Withdrawn
from vitrine.text.ocr_results.pages import ALL_READ, Unread


@dataclass(frozen=True)
class Publishing:
    """What is published of an object now, and what of it is missing."""

    publication: Publication
    made: bool
    """False if it was up to date."""
    missing: tuple[str, ...]
    """Images that are not published: what shows them was left out."""
    is_new_state: bool = False
    """True if it was not shown before, and is now, or the reverse."""
    unsearched: str = ""
    """Why nobody can search in its pages, although they have texts."""
    unread: Unread = ALL_READ
    """Its pages that OCR has yet to read."""

    @property
    def may_change_lists(self) -> bool:
        """True if lists of it may be outdated: it turned, now or in a run that died before them."""
        return self.is_new_state or isinstance(self.publication, Waiting | Withdrawn)
