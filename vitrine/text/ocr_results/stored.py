"""What became of an object's pages that are read by OCR: one file for each object.

Texts themselves are stored as all texts of pages are, under names that say what was read: the
version of an image and the languages. So the same page is never read twice, and a replaced image
has another text. The file says for each name whether there is a text, or no word, or why it could
not be read.
"""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.ports import ObjectStore, VersionedStore
from vitrine.store.clock import rfc3339
from vitrine.store.layout import OCR_NAME, READINGS, identifier_of_reading, reading_key
from vitrine.store.revisions import list_folder

State = Literal["begun", "again", "read", "empty", "failed"]
CLAIMED = timedelta(minutes=16)
"""Longer than a Lambda lives, and shorter than a message of a dead one is hidden."""
CONTENT_TYPE = "application/json; charset=utf-8"
_FORM = 1
"""Part of the names: another one lets all pages be read again."""
_NAME_DIGITS = 32


class PageReading(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one page."""

    state: State
    """`begun`: it is being read, or was when the process died. `again`: that was requested."""
    image: str
    """Identifier of its image."""
    reason: str = ""
    """Why it could not be read, or not yet, as a sentence."""
    tries: int = 0
    """Number of times that it was begun."""
    text: str = ""
    """Name of the text that is published, if it was requested again; else the page's own name."""

    @property
    def is_unread(self) -> bool:
        """True if it has yet to be read."""
        return self.state in ("begun", "again")

    def published_text(self, name: str) -> str:
        """Return the name of its text, given that of the page; empty if it has none.

        A page that is to be read again keeps the text that it had until it has another one.
        """
        return self.text or (name if self.state == "read" else "")


class Readings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of the pages of one object, by the names of their texts.

    Also of those that it had before, with other languages or versions: they may be put back.
    """

    pages: dict[str, PageReading] = {}
    claimed_until: str = ""
    """Until when one process reads them, RFC 3339 UTC, unless it ends before; empty: none does."""

    def is_claimed(self, moment: datetime) -> bool:
        """Return whether a process is reading."""
        return self.claimed_until > rfc3339(moment)


def ocr_name(version: str, languages: str) -> str:
    """Return the name of the text that is read on a version of an image."""
    return _name(f"{_FORM}\0{version}\0{languages}")


def later_name(name: str, moment: datetime) -> str:
    """Return the name of a page's text that is read once more at that moment.

    It is another one, since documents that name a text are kept by viewers and at the edge.
    """
    return _name(f"{name}\0{rfc3339(moment)}")


def _name(parts: str) -> str:
    return OCR_NAME + hashlib.sha256(parts.encode()).hexdigest()[:_NAME_DIGITS]


def load_readings(records: ObjectStore, identifier: str) -> tuple[Readings, str]:
    """Return what is known, and the ETag of the file; "" if it does not exist."""
    try:
        body, info = records.get(reading_key(identifier))
    except ObjectMissing:
        return Readings(), ""
    return msgspec.json.decode(body, type=Readings), info.etag


def save_readings(records: ObjectStore, identifier: str, readings: Readings, etag: str) -> str:
    """Replace the file with this ETag; return its new one. Raises PreconditionFailed."""
    key, body = reading_key(identifier), msgspec.json.encode(readings)
    return records.put(key, body, content_type=CONTENT_TYPE, if_etag=etag).etag


def copy_readings(records: ObjectStore, old: str, new: str, moment: datetime) -> None:
    """Let an object that gets another identifier know what became of its pages.

    What is known under the new one stays. If a process reads it at this moment, nothing is copied:
    that reads pages again that have no text. Raises TransientError.
    """
    known, _ = load_readings(records, old)
    present, etag = load_readings(records, new)
    ended = {name: page for name, page in known.pages.items() if page.state != "begun"}
    pages = ended | present.pages
    if pages == present.pages or present.is_claimed(moment):
        return
    with suppress(PreconditionFailed):
        save_readings(records, new, Readings(pages, present.claimed_until), etag)


def list_readings(records: VersionedStore) -> Iterator[str]:
    """Yield the objects of which there is such a file."""
    return map(identifier_of_reading, list_folder(records, READINGS))
