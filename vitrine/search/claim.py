"""The claim of one process to write the index. It expires, in case the process dies."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import msgspec

from vitrine.errors import ObjectMissing, PreconditionFailed, TransientError
from vitrine.ports import ObjectStore
from vitrine.site.pages.page_files import JSON
from vitrine.store.clock import rfc3339

LASTS = timedelta(minutes=16)
"""Longer than a Lambda lives."""
RENEWED_SECONDS = 240
POLLED_SECONDS = 2.0


class _Claim(msgspec.Struct, frozen=True):
    until: str = ""
    """RFC 3339 UTC; empty: nobody writes."""
    unfinished: bool = False
    """True once files are being written, until all of them are."""


@dataclass
class Claim:
    """The right to write the index, from `take` to `release`."""

    site: ObjectStore
    key: str
    """Key of the claim; each index has one of its own."""
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    wait: Callable[[float], None] = time.sleep
    is_behind: bool = False
    """True if the last writer did not finish, so that what is stored may be anything."""
    _etag: str = field(default="", init=False)
    _renewed: datetime | None = field(default=None, init=False)
    _is_writing: bool = field(default=False, init=False)

    def take(self, patience: timedelta) -> None:
        """Take it, once nobody has it. Raises TransientError if that takes too long."""
        given_up = self.clock() + patience
        while True:
            claim, self._etag = self._read()
            is_free = not claim.until or claim.until <= rfc3339(self.clock())
            if is_free and self._write(claim.unfinished):
                self.is_behind = claim.unfinished
                return
            if self.clock() >= given_up:
                raise TransientError(
                    f"The index of the search is being written by others, until {claim.until} at "
                    "the latest; try again then."
                )
            self.wait(POLLED_SECONDS)

    def renew(self) -> None:
        """Say that this still goes on, if that was long ago. Raises TransientError if it does not:
        somebody else took the claim."""
        assert self._renewed, "the claim was taken"
        if (self.clock() - self._renewed).total_seconds() > RENEWED_SECONDS:
            self._keep()

    def begin_writing(self) -> None:
        """Note that files are going to be written. Raises TransientError as above."""
        self._is_writing = True
        self._keep()

    def release(self, *, finished: bool) -> None:
        """Let others write. Nothing happens if somebody else took it."""
        unfinished = not finished and (self.is_behind or self._is_writing)
        self._put(_Claim("", unfinished))

    def _keep(self) -> None:
        if not self._write(self.is_behind or self._is_writing):
            raise TransientError("Another process took over the index of the search; try again.")

    def _read(self) -> tuple[_Claim, str]:
        try:
            body, info = self.site.get(self.key)
        except ObjectMissing:
            return _Claim(), ""
        return msgspec.json.decode(body, type=_Claim), info.etag

    def _write(self, unfinished: bool) -> bool:
        self._renewed = self.clock()
        until = rfc3339(self._renewed + LASTS)
        return self._put(_Claim(until, unfinished))

    def _put(self, claim: _Claim) -> bool:
        body = msgspec.json.encode(claim)
        try:
            info = self.site.put(self.key, body, content_type=JSON, if_etag=self._etag)
        except PreconditionFailed:
            return False
        self._etag = info.etag
        return True
