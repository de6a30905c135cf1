"""A stream of changes is walked as a harvester does, from its end to its beginning, and judged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from vitrine.site.discovery.properties import Finding, link_of, moment_of
from vitrine.site.discovery.rules import REFRESH, check_collection, check_page
from vitrine.sources.harvest.guarded_http import NotHarvested
from vitrine.text.foreign_json import decode_json

MAX_FINDINGS = 1_000
Fetch = Callable[[str], bytes]


@dataclass
class StreamReport:
    """What a stream is, and what is wrong with it."""

    address: str
    findings: list[Finding] = field(default_factory=list)
    pages: int = 0
    activities: int = 0
    types: dict[str, int] = field(default_factory=dict)
    followed: int = 0
    """Objects that were asked for."""
    is_whole: bool = False
    """Every page was seen."""
    level: int = 0
    """Level of conformance (2.1): what the activities that were seen allow a harvester to do."""

    @property
    def errors(self) -> list[Finding]:
        """Findings that break a MUST."""
        return [one for one in self.findings if one.is_error]

    def add(self, findings: Iterator[Finding] | Sequence[Finding]) -> None:
        """Keep findings, as long as there is room."""
        for one in findings:
            if len(self.findings) < MAX_FINDINGS:
                self.findings.append(one)


def check_stream(
    address: str,
    fetch: Fetch,
    *,
    most_pages: int = 1_000,
    follow: int = 0,
    on_page: Callable[[int], None] = lambda pages: None,
) -> StreamReport:
    """Check the collection at an address, its pages from the last one on, and `follow` objects.

    Raises NotHarvested if the collection itself cannot be read; of pages and objects that is a
    finding.
    """
    report = StreamReport(address)
    collection = _read(address, fetch)
    report.add(check_collection(collection, address))
    walk = _Walk(report, fetch, address, link_of(collection, "last"))
    walk.pages(most_pages, on_page)
    if report.is_whole:
        report.add(_compare_whole(collection, walk))
    report.level = walk.level()
    if follow:
        _follow_objects(walk, follow)
    return report


@dataclass(frozen=True)
class _State:
    """What an object is after its newest activity."""

    is_gone: bool
    type: Any


class _Walk:
    """Goes through the pages, newest first."""

    def __init__(self, report: StreamReport, fetch: Fetch, collection: str, last: str) -> None:
        self.report, self.fetch, self.collection = report, fetch, collection
        self.next_address = last
        self.first_address = ""
        self.states: dict[str, _State] = {}
        """What objects are now, those that changed last first."""
        self._kinds: dict[str, str] = {}
        """By object: the type of the activity that was met last."""
        self._later: datetime | None = None
        self._starts: list[tuple[str, int, int]] = []
        """Of pages that have one: address, startIndex, activities from its first to the last."""
        self._timed = True

    def pages(self, most: int, on_page: Callable[[int], None]) -> None:
        """Read pages until the first, or until `most` were read."""
        report, seen, after = self.report, set[str](), ""
        while self.next_address and report.pages < most:
            address = self.next_address
            if address in seen:
                report.add([_error(address, "3.2", "prev leads back to a page that came after it")])
                return
            seen.add(address)
            try:
                page = _read(address, self.fetch)
            except NotHarvested as error:
                report.add([_error(address, "3.2", str(error))])
                return
            report.pages += 1
            on_page(report.pages)
            report.add(check_page(page, address, self.collection))
            if after and link_of(page, "next") not in ("", after):
                report.add([_error(address, "3.2", f"next is not {after}, whose prev this is")])
            elif after and "next" not in page:
                report.add([_warning(address, "3.2", "next is missing")])
            self._activities(page, address)
            self.first_address = after = address
            self.next_address = link_of(page, "prev")
        report.is_whole = not self.next_address and report.pages > 0

    def _activities(self, page: Mapping[str, Any], address: str) -> None:
        items = page.get("orderedItems")
        found = [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
        self.report.activities += len(found)
        if isinstance(start := page.get("startIndex"), int):
            self._starts.append((address, start, self.report.activities))
        for number in reversed(range(len(found))):
            activity, place = found[number], f"{address}#orderedItems[{number}]"
            kind = str(activity.get("type"))
            self.report.types[kind] = self.report.types.get(kind, 0) + 1
            self._order(activity, kind, place)
            if kind != REFRESH and (name := link_of(activity, "object")):
                self._history(name, kind, activity, place)

    def _order(self, activity: Mapping[str, Any], kind: str, place: str) -> None:
        moment = moment_of(activity, "startTime" if kind == REFRESH else "endTime")
        if moment is None:
            self._timed = self._timed and kind == REFRESH
            return
        if self._later and moment > self._later:
            sentence = f"is of {moment.isoformat()}, later than the activity behind it"
            self.report.add([_error(place, "2.1.2", sentence)])
        self._later = moment

    def _history(self, name: str, kind: str, activity: Mapping[str, Any], place: str) -> None:
        """Compare with the next activity about the same object, which was met before."""
        later = self._kinds.get(name)
        self._kinds[name] = kind
        if kind in ("Delete", "Remove") and later in ("Update", "Delete", "Remove"):
            sentence = f"{kind} of {name}, of which a later {later} speaks again"
            self.report.add([_warning(place, "2.1.4", sentence)])
        if kind in ("Create", "Add") and later == kind:
            sentence = f"{kind} of {name}, which is made again without a Delete between"
            self.report.add([_warning(place, "3.3", sentence)])
        if kind != "Remove":
            gone = kind in ("Delete", "Move")
            self.states.setdefault(name, _State(gone, activity["object"].get("type")))
        if kind == "Move" and (target := link_of(activity, "target")):
            self.states.setdefault(target, _State(False, activity["target"].get("type")))

    def level(self) -> int:
        """Return 0, 1 or 2."""
        if not self.report.activities or not self._timed:
            return 0
        return 2 if self.report.types.keys() & {"Create", "Delete", "Move"} else 1

    def starts(self) -> Iterator[Finding]:
        """Yield where a page does not begin where the one before it ended."""
        for address, start, behind in self._starts:
            before = self.report.activities - behind
            if start != before:
                yield _error(address, "3.2", f"startIndex is {start}, and {before} come before")


def _compare_whole(collection: Mapping[str, Any], walk: _Walk) -> Iterator[Finding]:
    """Yield what only shows when every page was seen."""
    address, count = walk.collection, walk.report.activities
    total = collection.get("totalItems")
    if isinstance(total, int) and total != count:
        yield _error(address, "3.1", f"totalItems is {total}, and its pages have {count}")
    first = link_of(collection, "first")
    if first and first != walk.first_address:
        yield _error(address, "3.1", f"first is {first}, and prev ends at {walk.first_address}")
    yield from walk.starts()


def _follow_objects(walk: _Walk, most: int) -> None:
    """Ask for the objects that changed last: they have to be there, or to be gone (3.3)."""
    report = walk.report
    for name, state in list(walk.states.items())[:most]:
        report.followed += 1
        try:
            document = _read(name, walk.fetch)
        except NotHarvested as error:
            if not state.is_gone:
                report.add([_error(name, "3.3", f"was announced, and cannot be read: {error}")])
            continue
        if state.is_gone:
            report.add([_warning(name, "3.3", "was announced as gone, and is still there")])
            continue
        said = document.get("id") or document.get("@id")
        kind = str(document.get("type") or document.get("@type")).rpartition(":")[2]
        if said != name:
            report.add([_warning(name, "3.3", f"has the id {said}")])
        if kind != state.type:
            report.add([_error(name, "3.3", f"is a {kind}, not a {state.type}")])


def _read(address: str, fetch: Fetch) -> dict[str, Any]:
    try:
        document = decode_json(fetch(address))
    except ValueError as error:
        raise NotHarvested(f"{address} is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise NotHarvested(f"{address} is JSON, but no object")
    return document


def _error(place: str, section: str, sentence: str) -> Finding:
    return Finding(True, place, section, sentence)


def _warning(place: str, section: str, sentence: str) -> Finding:
    return Finding(False, place, section, sentence)
