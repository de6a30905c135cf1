"""Look identifiers up: the table is read at most once per lifetime of a record."""

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeGuard

from vitrine.access.collection_rules import CollectionRules
from vitrine.access.rules import INHERITED, OPEN, read_rule
from vitrine.deliver.answer.read_lane import Reading, ReadLane
from vitrine.deliver.answer.rules_watch import RulesWatch
from vitrine.deliver.http.faults import Faults
from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.single_flight import SharedFlight
from vitrine.errors import (
    MasterRejected,
    RecordDamaged,
    ServiceFailed,
    Unavailable,
)
from vitrine.identify.effective_rule import as_shown
from vitrine.identify.identifier import check_identifier
from vitrine.identify.resolve import MAX_CHAIN_LENGTH, Resolution, Serve, Unknown, resolve
from vitrine.identify.switch import list_switches
from vitrine.ports import IdentifierTable
from vitrine.records import Live, Record, Redirect

UNKNOWN_SECONDS = 2.0
"""An unknown identifier may be published any moment; a known one changes rarely."""
RENEWED_FROM = 2 / 3
"""Part of its lifetime after which a record that is used is read again, while it still answers:
nobody waits for the new one."""
RENEWED_EVERY_SECONDS = 1.0
"""Seconds without an answer to such a read, after which the next use begins another."""
STALE_SECONDS = 600.0
"""Seconds for which an expired record may answer while the table is unreachable or has lost it."""
PATIENCE_SECONDS = 0.5
"""Seconds for which a request with an expired record waits for the new one: a silent table must not
hold up its viewers."""
CAPACITY = 10_000
"""Records kept, and as many names without a record: random names displace no image."""
STRANGERS_WAITING = 100
"""Names never seen that may wait to be read: one more batch."""
_FAMILIAR_THREADS, _STRANGER_THREADS = 2, 4
"""Reads under way, of up to 99 names each: at 30 ms a read, more names than a task has requests."""


@dataclass(slots=True)
class _CachedRecord:
    record: Record | None
    began: float
    """Time at which it began to be read, by the lookup's clock."""
    expires: float
    renew: float
    """Time from which the next use has it read again; not later than `expires`."""
    stands_until: float = 0.0
    """Time at which it is looked for again in a table that has lost it."""
    _shown: "_Shown | None" = None
    """The last that was made of it."""

    @property
    def follows(self) -> bool:
        """True if it is shown as its collections' rules demand."""
        return self.record is not None and self.record.access == INHERITED

    @property
    def rules_version(self) -> int:
        """The version that its collections' rules have at least."""
        return self.record.rules_version if self.record else 0

    def under(self, rules: CollectionRules | None, make: "_Show") -> "_Shown":
        """Return what is shown of it under these rules, which `make` makes."""
        shown = self._shown
        if shown is None or shown.rules is not rules:
            shown = self._shown = make(self.record, rules)
        return shown

    def expire(self, now: float) -> None:
        """Let it answer nothing without being read again."""
        self.expires, self.renew = min(self.expires, now), min(self.renew, now)
        self.stands_until = 0.0


class _Shown(NamedTuple):
    """What is shown of a record."""

    rules: CollectionRules | None
    """Rules that it is under."""
    record: Record | None
    switches: tuple[tuple[float, Live], ...]
    """Older versions, each with the time at which it ends to be shown, by the lookup's clock."""
    open_image: Live | None
    """The image of the record, if everybody may see all of it."""

    def at(self, at: float) -> Record | None:
        """Return the record, or the version of the image that is shown in its place."""
        return next((image for until, image in self.switches if at < until), self.record)

    def next_switch(self, at: float) -> float:
        """Return when another version is shown, infinity if the last one is."""
        return next((until for until, _ in self.switches if at < until), math.inf)


_Show = Callable[[Record | None, CollectionRules | None], _Shown]


class LookupResult(NamedTuple):
    """What an identifier's records say, and until when that may be relied on."""

    identifier: str
    decision: Resolution
    consulted: tuple[_CachedRecord, ...] = ()
    """The identifier's record, and those that redirects led to."""
    next_switch: float = math.inf
    """Time at which another version of the image is shown, by the clock of the lookup."""
    rules_expire: float = math.inf
    """Time at which the rules of its collections have to be read again; infinity without any."""

    @property
    def collections(self) -> tuple[str, ...]:
        """The collections whose rules it follows, with those around them."""
        return self.decision.image.collections if isinstance(self.decision, Serve) else ()

    @property
    def expires(self) -> float:
        """When the first of the records consulted expires or shows another version.

        By the clock of the lookup. Never for an unknown identifier: caches keep a 404 for seconds.
        """
        if isinstance(self.decision, Unknown):
            return math.inf
        return min(
            self.next_switch,
            self.rules_expire,
            *(cached.expires for cached in self.consulted),
        )


class RecordLookup:
    """Records of the identifiers table, kept for `ttl_seconds`. Belongs to one event loop.

    Names in memory and names never seen have a lane each: however many of the latter are requested,
    and however slow the table is, images that were shown before do not wait for them.
    """

    def __init__(
        self,
        table: IdentifierTable,
        ttl_seconds: float,
        clock: Callable[[], float] = time.monotonic,
        faults: Faults | None = None,
        wall_clock: Callable[[], float] = time.time,
        counters: Counters | None = None,
        rules: RulesWatch | None = None,
    ) -> None:
        """Without `rules`, all that follows collections is closed."""
        self._rules = rules
        self._ttl = ttl_seconds
        self._clock = clock
        self._wall_clock = wall_clock
        self._faults = faults or Faults()
        # Not a cachetools.LRUCache: its `get` runs in Python, and every tile passes `live_now`.
        self._known: OrderedDict[str, _CachedRecord] = OrderedDict()
        self._without_record: OrderedDict[str, _CachedRecord] = OrderedDict()
        self._renewals: dict[str, asyncio.Task[_CachedRecord]] = {}
        self._flights: SharedFlight[_CachedRecord] = SharedFlight()
        lane = partial(ReadLane, table, clock=clock, counters=counters)
        self._familiar = lane("familiar", threads=_FAMILIAR_THREADS, capacity=CAPACITY)
        self._strangers = lane("strangers", threads=_STRANGER_THREADS, capacity=STRANGERS_WAITING)

    def live_now(self, identifier: str) -> tuple[Live, float] | None:
        """Return the image of exactly this name, and for how many seconds its record is not read
        again; None if no record in memory says so, or not all of the image is public.

        None too while an older version is shown: its answers have another lifetime."""
        known = self._known.get(identifier)
        if known is None or (now := self._clock()) >= known.renew:
            return None
        seconds, rules = known.renew - now, None
        if known.follows and self._rules:
            current = self._rules.now()
            if current is None or not current.covers(known.rules_version, known.began):
                return None
            rules, seconds = current.rules, min(seconds, current.expires - now)
        shown = known.under(rules, self._show)
        if shown.switches and now < shown.switches[-1][0]:
            return None
        return (shown.open_image, seconds) if shown.open_image else None

    async def find(self, identifier: str) -> LookupResult:
        """Look up an identifier in NFC. Raises Unavailable."""
        try:
            check_identifier(identifier)
        except MasterRejected:
            return LookupResult(identifier, Unknown())
        result = await self._follow_redirects(identifier)
        if len(result.consulted) > 1 and isinstance(result.decision, Unknown):
            # A redirect that leads nowhere: one of the records in memory may be out of date.
            for cached in result.consulted:
                cached.expire(self._clock())
            result = await self._follow_redirects(identifier)
        return result

    def is_current(self, result: LookupResult) -> bool:
        """Return True if the result may be kept: no record that it rests on has expired."""
        return self._clock() < result.expires

    def seconds_until_switch(self, result: LookupResult) -> float:
        """Return for how long the result shows this version of the image; infinity: for good."""
        return result.next_switch - self._clock()

    async def confirm(self, result: LookupResult) -> LookupResult | None:
        """Return the result if it is current, else a new one of the same decision, or None."""
        if self.is_current(result):
            return result
        try:
            again = await self.find(result.identifier)
        except Unavailable:
            return None
        return again if again.decision == result.decision and self.is_current(again) else None

    async def _follow_redirects(self, identifier: str) -> LookupResult:
        """Follow redirects from a record to the end of the chain."""
        consulted = [await self._consult_record(identifier)]
        while (
            isinstance(end := consulted[-1].record, Redirect) and len(consulted) <= MAX_CHAIN_LENGTH
        ):
            consulted.append(await self._consult_record(end.target))
        rules, rules_expire = None, math.inf
        following = [cached for cached in (consulted[0], consulted[-1]) if cached.follows]
        if self._rules and following:
            newest = max(following, key=lambda cached: cached.rules_version)
            known = await self._rules.consult(newest.rules_version, newest.began)
            rules, rules_expire = known.rules, known.expires
        now = self._clock()
        shown = [cached.under(rules, self._show) for cached in consulted]
        return LookupResult(
            identifier,
            resolve(shown[0].at(now), shown[-1].at(now)),
            tuple(consulted),
            min(one.next_switch(now) for one in shown),
            rules_expire,
        )

    async def _consult_record(self, identifier: str) -> _CachedRecord:
        """Return the record from memory, else from the table, else the expired one."""
        known, now = self._known.get(identifier), self._clock()
        if known is None:
            return await self._consult_stranger(identifier)
        if now < known.renew or now < known.stands_until:
            return known
        renewal = self._renew_record(identifier, known)
        if now < known.expires:
            return known
        if now >= known.expires + STALE_SECONDS:
            patience = None
        else:
            patience = 0 if self._familiar.is_silent(PATIENCE_SECONDS) else PATIENCE_SECONDS
        await asyncio.wait({renewal}, timeout=patience)
        try:
            return renewal.result()
        except (ServiceFailed, asyncio.InvalidStateError) as error:
            silent = isinstance(error, asyncio.InvalidStateError)
            self._report_silence("no answer yet" if silent else str(error))
            if patience is None:
                raise _table_is_silent() from error
            return known

    async def _consult_stranger(self, identifier: str) -> _CachedRecord:
        """Return what is remembered or read of a name that has no record in memory."""
        absent, now = self._without_record.get(identifier), self._clock()
        if absent and now < absent.expires:
            return absent

        async def read() -> _CachedRecord:
            return self._learn_reading(identifier, await self._strangers.read(identifier))

        try:
            return await self._flights.run(identifier, read)
        except ServiceFailed as error:
            self._report_silence(str(error))
            if absent and now < absent.expires + STALE_SECONDS:
                return absent
            raise _table_is_silent() from error

    def _report_silence(self, how: str) -> None:
        self._faults.report("identifiers-table-silent", f"The table of identifiers: {how}")

    def _renew_record(self, identifier: str, known: _CachedRecord) -> "asyncio.Task[_CachedRecord]":
        """Return the read of a known name that is under way, after beginning it if necessary."""
        task = self._renewals.get(identifier)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._read_familiar(identifier))
            self._renewals[identifier] = task
            task.add_done_callback(partial(self._end_renewal, identifier))
        known.renew = min(known.expires, self._clock() + RENEWED_EVERY_SECONDS)
        return task

    async def _read_familiar(self, identifier: str) -> _CachedRecord:
        return self._learn_reading(identifier, await self._familiar.read(identifier))

    def _end_renewal(self, identifier: str, task: "asyncio.Task[_CachedRecord]") -> None:
        del self._renewals[identifier]
        if not task.cancelled():
            task.exception()  # retrieved, even if nobody waits

    def _learn_reading(self, identifier: str, reading: Reading) -> _CachedRecord:
        """Remember what the table says, unless it has lost what it said before.

        No identifier is ever deleted. Raises RecordDamaged, and Unavailable for a name without a
        record if the table is not whole.
        """
        if isinstance(reading.record, RecordDamaged):
            raise reading.record
        if reading.record is None:
            known, now = self._known.get(identifier), self._clock()
            if known and now < known.expires + STALE_SECONDS:
                self._faults.report(
                    "identifier-lost", f"The table has no record of {identifier!r} any more."
                )
                known.stands_until = now + UNKNOWN_SECONDS
                return known
            if not reading.is_whole:
                self._faults.report(
                    "identifiers-table-lost",
                    "The table of identifiers is empty or incomplete: run `vitrine identifiers "
                    "rebuild`. Until then, unknown identifiers answer 503.",
                )
                raise Unavailable("the table of identifiers is being restored: try again later")
        life = self._ttl if reading.record else min(self._ttl, UNKNOWN_SECONDS)
        cached = _CachedRecord(
            reading.record,
            reading.began,
            reading.began + life,
            reading.began + RENEWED_FROM * life,
        )
        self._remember_record(identifier, cached)
        return cached

    def _show(self, record: Record | None, rules: CollectionRules | None) -> _Shown:
        """Return what is shown of a record under the rules of collections."""
        shown = as_shown(record, rules) if record else None
        switches: tuple[tuple[float, Live], ...] = ()
        if isinstance(shown, Live) and shown.before:
            ahead = self._clock() - self._wall_clock()
            switches = tuple(
                (moment.timestamp() + ahead, image) for moment, image in list_switches(shown)
            )
        return _Shown(rules, shown, switches, shown if _is_open_image(shown) else None)

    def _remember_record(self, identifier: str, cached: _CachedRecord) -> None:
        kept, other = self._known, self._without_record
        if cached.record is None:
            kept, other = other, kept
        other.pop(identifier, None)
        kept[identifier] = cached
        kept.move_to_end(identifier)
        if len(kept) > CAPACITY:
            kept.popitem(last=False)

    def close(self) -> None:
        """Stop the threads."""
        self._familiar.close()
        self._strangers.close()


def _is_open_image(record: Record | None) -> TypeGuard[Live]:
    return isinstance(record, Live) and read_rule(record.access) == OPEN


def _table_is_silent() -> Unavailable:
    return Unavailable("the table of identifiers does not answer")
