"""The audit: every promise against what lies in buckets and tables."""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from loadtest.drills.ingest.drill_ledger import KeyHistory
from loadtest.drills.ingest.drill_masters import DrillPicture
from loadtest.drills.ingest.stored_state import Truth
from vitrine.errors import ObjectMissing
from vitrine.identify.rebuild import rebuild
from vitrine.records import MASTER_DELETED, Live, Outcome, Record, readable
from vitrine.store.layout import SUPERSEDED_TAG, key_stem


class End(StrEnum):
    """The ends that a master may come to."""

    PUBLISHED = "published"
    REJECTED = "rejected, with a reason"
    WITHDRAWN = "withdrawn"
    NOTHING = "deleted before anything was made of it"
    FOLDER = "a folder, left alone"
    FAILED = "on the list of failures"
    LOST = "LOST"


@dataclass
class Promise:
    """One promise: of `checked` things those in `broken` are otherwise."""

    what: str
    checked: int = 0
    broken: list[str] = field(default_factory=list)

    def check(self, subject: str, problem: str) -> None:
        """Count one thing; `problem` is "" where it is as it should be."""
        self.checked += 1
        if problem:
            self.broken.append(f"{subject}: {problem}")

    def as_json(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"promise": self.what, "checked": self.checked, "broken": self.broken}


@dataclass(frozen=True, kw_only=True)
class AuditedState:
    """One look at everything."""

    outcomes: Mapping[str, Outcome]
    records: Mapping[str, Record]
    newest: Mapping[str, str]
    """Version of what lies under each master's key."""
    failed: frozenset[str]
    """Keys on the list of failures that can be redriven."""


def read_findings(truth: Truth, histories: Sequence[KeyHistory]) -> AuditedState:
    """Read all that the audit needs; messages of failures are given back."""
    failures = truth.failures.take()
    truth.failures.give_back(failures)
    return AuditedState(
        outcomes=truth.all_outcomes(),
        records=readable(
            truth.identifiers.get_many([expected_identifier(item) for item in histories])
        ),
        newest={entry.key: entry.version for entry in truth.keys(truth.masters)},
        failed=frozenset(failure.master_key for failure in failures if failure.redrivable),
    )


def expected_identifier(history: KeyHistory) -> str:
    """Return the identifier that a master without metadata has."""
    return unicodedata.normalize("NFC", key_stem(history.key))


def count_ends(found: AuditedState, histories: Sequence[KeyHistory]) -> Counter[End]:
    """Count the masters by how they ended."""
    return Counter(find_end(found, history) for history in histories)


def find_end(found: AuditedState, history: KeyHistory) -> End:
    """Return how one master ended."""
    key = history.key
    outcome, record = found.outcomes.get(key), found.records.get(expected_identifier(history))
    if key.endswith("/"):
        return End.FOLDER if outcome is None else End.LOST
    if key in found.failed:
        return End.FAILED
    if history.last is None:
        return _end_of_deleted(outcome, record)
    if outcome is None or outcome.master_version != found.newest.get(key):
        return End.LOST
    if isinstance(history.last, DrillPicture):
        answers = isinstance(record, Live) and record.master_version == outcome.master_version
        return End.PUBLISHED if outcome.state == "published" and answers else End.LOST
    explained = outcome.state == "rejected" and outcome.code and outcome.sentence
    return End.REJECTED if explained else End.LOST


def _end_of_deleted(outcome: Outcome | None, record: Record | None) -> End:
    if isinstance(record, Live):
        return End.LOST
    if outcome is None or outcome.code == MASTER_DELETED:
        return End.NOTHING
    return End.WITHDRAWN if outcome.state == "withdrawn" else End.LOST


def check_promises(
    truth: Truth, found: AuditedState, histories: Sequence[KeyHistory]
) -> list[Promise]:
    """Return all promises that can be checked without the gateway."""
    return [
        _check_outcomes(found, histories),
        _check_versions(truth, found, histories),
        _check_orphans(truth, found),
        _check_uploads(truth),
        _check_journal(truth),
    ]


def _check_outcomes(found: AuditedState, histories: Sequence[KeyHistory]) -> Promise:
    promise = Promise("every master is accounted for")
    for history in histories:
        lost = find_end(found, history) is End.LOST
        problem = f"{found.outcomes.get(history.key)}, newest {found.newest.get(history.key)}"
        promise.check(history.key, problem if lost else "")
    return promise


def _check_versions(truth: Truth, found: AuditedState, histories: Sequence[KeyHistory]) -> Promise:
    promise = Promise("no wrong version is published")
    for history in histories:
        record = found.records.get(expected_identifier(history))
        if isinstance(record, Live):
            promise.check(history.key, _explain_wrong(truth, found, history, record))
    return promise


def _explain_wrong(truth: Truth, found: AuditedState, history: KeyHistory, record: Live) -> str:
    """Why this image must not be live; one that was live stays when a broken one replaces it."""
    try:
        made_of = truth.access_masters.head(record.access_master_key).metadata["master-checksum"]
    except ObjectMissing:
        return "its access master is not there"
    if isinstance(history.last, DrillPicture) and history.key not in found.failed:
        allowed = [history.last]
    else:
        allowed = history.pictures
    sizes = [(one.width, one.height) for one in allowed if one.sha256 == made_of]
    if not sizes:
        return f"made of {made_of}"
    return "" if (record.width, record.height) in sizes else f"{record.width} x {record.height}"


def _check_orphans(truth: Truth, found: AuditedState) -> Promise:
    promise = Promise("no object is an orphan: live, or tagged to expire")
    live = {item.access_master_key for item in found.records.values() if isinstance(item, Live)}
    expires = truth.expires_superseded()
    for entry in truth.keys(truth.access_masters):
        tagged = truth.access_masters.tags(entry.key).items() >= SUPERSEDED_TAG.items()
        if entry.key in live:
            problem = "live, and tagged to expire" if tagged else ""
        else:
            problem = "" if tagged and expires else "neither live nor tagged to expire"
        promise.check(entry.key, problem)
    return promise


def _check_uploads(truth: Truth) -> Promise:
    promise = Promise("unfinished multipart uploads end by a lifecycle rule")
    for bucket, key, ended in truth.unfinished_uploads():
        promise.check(f"{bucket} {key}", "" if ended else "stays for ever")
    return promise


def _check_journal(truth: Truth) -> Promise:
    promise = Promise("the table of identifiers says what its journal says")
    counts = rebuild(truth.identifiers, truth.records, dry_run=True)
    promise.checked = counts["identifiers"]
    if counts["written"]:
        promise.broken.append(f"{counts['written']} identifiers are behind")
    return promise
