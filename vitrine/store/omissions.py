"""Objects that a part of the service leaves out because of their own data, and why.

What one object brings must not stop what the part does for the others: the part records the object
and goes on. `vitrine status` names what is recorded, and an alarm rings. A record goes away when
the part has processed its object again.

Faults of the service (`ServiceFailed`, and whatever an adapter raises) are no object's own, so they
pass, and are retried.
"""

import json
import logging
import os
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock
from typing import Self, TypeVar

import brotli
import msgspec

from vitrine.errors import (
    ObjectMissing,
    ObjectRefused,
    RecordDamaged,
    TextRefused,
)
from vitrine.ports import ObjectStore
from vitrine.store.clock import now
from vitrine.store.conditional_writes import retry_if_changed
from vitrine.store.site_layout import OMISSIONS

PUBLISHER, IMAGE_PAGES, RULES = "publisher", "image-pages", "rules"
SEARCH, TEXT_SEARCH, DUMPS, FIRST_PAGE = "search", "text-search", "dumps", "first-page"
PARTS: Mapping[str, str] = {
    PUBLISHER: "what is published",
    IMAGE_PAGES: "the pages of images",
    RULES: "the rules of access that images have from collections",
    SEARCH: "search and facets",
    TEXT_SEARCH: "the search in texts",
    DUMPS: "dumps and sitemaps",
    FIRST_PAGE: "the first page",
}
"""The parts that leave objects out, and what they make."""

FAULTS = (
    # The record, a text or a document breaks a rule, or what it names is not in the bucket. (A
    # bucket that is missing is a ServiceRefused.)
    ObjectRefused,
    TextRefused,
    ObjectMissing,
    RecordDamaged,
    # Its bytes do not mean what they should: damage, or a form that nobody writes.
    brotli.error,
    msgspec.MsgspecError,
    zlib.error,
    EOFError,
    RecursionError,
    # Our code did not expect what it says.
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""Errors that the data of an object raise. No error of a network, a disk, memory or a service is
among them: OSError, MemoryError, ServiceFailed and botocore's errors pass."""

MAX_OMISSIONS = 1_000
"""Objects that are recorded of a part; of more, only the log has the names."""
MAX_REASON_LENGTH = 500
"""Characters."""
KNOWN_SECONDS = 30
"""After which it is read again what is recorded, to notice what was recorded by others."""
RUNBOOK = "docs/runbooks/objects-are-left-out.md"
CONTENT_TYPE = "application/json"
T = TypeVar("T")
Other = TypeVar("Other")
logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Omission:
    """An object that a part leaves out."""

    identifier: str
    reason: str
    since: str
    """RFC 3339 UTC."""


@dataclass
class _Changes:
    left_out: dict[str, str] = field(default_factory=dict)
    """Reasons by identifier."""
    processed: set[str] = field(default_factory=set)


class Omissions:
    """What one part leaves out, noted while it works, from several threads, and then stored.

    As a context manager, it is stored at the end of the block.
    """

    def __init__(self, site: ObjectStore, part: str) -> None:
        self._site = site
        self._part = part
        self._lock = Lock()
        self._changes = _Changes()
        self._known: frozenset[str] = frozenset()
        self._known_at = -float("inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.store()

    def attempt(
        self, identifier: str, work: Callable[[], T], otherwise: Other, *, is_all: bool = True
    ) -> T | Other:
        """Return what `work` makes of an object, or `otherwise` if the object is left out.

        Unless this is all that the part does for the object, success leaves an earlier record as it
        is. Raises what is not of FAULTS.
        """
        try:
            result = work()
        except FAULTS as error:
            self.leave_out(identifier, error)
            return otherwise
        if is_all:
            self.note_processed(identifier)
        return result

    def leave_out(self, identifier: str, error: Exception) -> None:
        """Note that an object is left out because of an error, and log it."""
        reason = describe_fault(error)
        logger.error(
            '"%s" is left out of %s (%s): %s',
            identifier,
            PARTS[self._part],
            RUNBOOK,
            reason,
            exc_info=error,
        )
        with self._lock:
            if len(self._changes.left_out) < MAX_OMISSIONS:
                self._changes.left_out[identifier] = reason

    def note_processed(self, identifier: str) -> None:
        """Note that an object is not left out. Raises TransientError."""
        with self._lock:
            if time.monotonic() - self._known_at >= KNOWN_SECONDS:
                self._remember(_read(self._site, self._part)[0])
            if identifier in self._known or identifier in self._changes.left_out:
                self._changes.left_out.pop(identifier, None)
                self._changes.processed.add(identifier)

    def store(self) -> None:
        """Write what was noted, unless nothing differs by it. Raises TransientError."""
        with self._lock:
            if not (self._changes.left_out or self._changes.processed):
                return
            self._remember(retry_if_changed(self._write, _key(self._part)))
            self._changes = _Changes()

    def _write(self) -> dict[str, Omission]:
        known, etag = _read(self._site, self._part)
        merged = self._merge(known)
        if merged != known:
            self._put(merged, etag)
        return merged

    def _merge(self, known: Mapping[str, Omission]) -> dict[str, Omission]:
        merged = {name: one for name, one in known.items() if name not in self._changes.processed}
        for name, reason in self._changes.left_out.items():
            if len(merged) >= MAX_OMISSIONS and name not in merged:
                continue
            before = known.get(name)
            since = before.since if before and before.reason == reason else now()
            merged[name] = Omission(identifier=name, reason=reason, since=since)
        return merged

    def _put(self, omissions: Mapping[str, Omission], etag: str) -> None:
        body = json.dumps([asdict(one) for one in omissions.values()], ensure_ascii=False)
        self._site.put(
            _key(self._part),
            body.encode("utf-8", "backslashreplace"),
            content_type=CONTENT_TYPE,
            if_etag=etag,
        )

    def _remember(self, omissions: Mapping[str, Omission]) -> None:
        self._known, self._known_at = frozenset(omissions), time.monotonic()


def read_omissions(site: ObjectStore) -> Iterator[tuple[str, Omission]]:
    """Yield the part and the omission for all that is recorded. Raises TransientError."""
    for part in PARTS:
        for omission in _read(site, part)[0].values():
            yield part, omission


def describe_fault(error: Exception) -> str:
    """Return why an object is left out, as one line of limited length.

    Of a file of this machine, it has the name without the folder.
    """
    faults = error.faults if isinstance(error, ObjectRefused) else ()
    said = " ".join(" ".join([str(error), *faults]).split())
    if isinstance(error, OSError) and error.filename is not None:
        said = f"{error.strerror}: {Path(os.fsdecode(error.filename)).name}"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    is_sentence = isinstance(error, ObjectRefused | RecordDamaged | TextRefused)
    reason = said if is_sentence else f"{type(error).__name__}: {said}"
    return reason if len(reason) <= MAX_REASON_LENGTH else reason[: MAX_REASON_LENGTH - 1] + "…"


def _key(part: str) -> str:
    return f"{OMISSIONS}{part}.json"


def _read(site: ObjectStore, part: str) -> tuple[dict[str, Omission], str]:
    """Return what is recorded of a part, and the ETag, "" without a record.

    A record that is damaged has nothing, and is replaced.
    """
    try:
        body, info = site.get(_key(part))
    except ObjectMissing:
        return {}, ""
    try:
        found = [Omission(**one) for one in json.loads(body)]
    except (TypeError, ValueError) as error:
        logger.error("%s is damaged: %s", _key(part), error)
        return {}, info.etag
    return {one.identifier: one for one in found}, info.etag
