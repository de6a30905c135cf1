"""Start the ingest of one master: the event is a hint, the store is the truth."""

from dataclasses import dataclass
from enum import StrEnum

from vitrine.errors import MasterRejected, ObjectMissing
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.ingest.messages import IngestMaster, WithdrawImage
from vitrine.ingest.record_outcome import record_outcome, record_rejection
from vitrine.ingest.services import IngestServices
from vitrine.ports import ObjectInfo
from vitrine.records import Live, Outcome
from vitrine.store.layout import key_stem

IDENTIFIER_METADATA = "identifier"
"""Object metadata with which a curator gives a master its identifier."""
REPLACES_METADATA = "replaces"
"""Object metadata: the tombstones and redirects that a curator lets this master replace."""
DEFAULT_RULE = IdentifierRule()
REFUSED_IDENTIFIERS = (
    "identifier-invalid",
    "identifier-missing",
    "identifier-taken",
    "identifier-withdrawn",
    "identifier-redirects",
)
"""Codes after which the next upload of a master that was never published chooses again."""


class StartResult(StrEnum):
    """What the starter did."""

    STARTED = "started"
    KNOWN = "known"
    """This version of the master is being ingested or was ingested."""
    MISSING = "missing"
    """There is no object under the key, and no image of it left to withdraw."""
    WITHDRAWING = "withdrawing"
    """The master was deleted; its image will be withdrawn after the grace period."""
    FOLDER = "folder"
    """The object only stands for a folder."""
    WAITING = "waiting"
    """Too many executions are running: the hint is back in the queue."""
    REJECTED = "rejected"


def start_ingest(services: IngestServices, master_key: str, redrives: str = "") -> StartResult:
    """Start what the store's state of `master_key` needs now: an ingest, a withdrawal, or nothing.

    `redrives` names a failed execution. A failure is made good once: the new execution's name is
    computed from it, and nothing starts if another outcome has replaced the failure meanwhile.
    Raises TransientError.
    """
    try:
        info = services.masters.head(master_key)
    except ObjectMissing as missing:
        outcome = services.outcomes.get(master_key)
        if outcome is None or outcome.state == "withdrawn":
            return StartResult.MISSING
        return start_withdrawal(services, outcome, missing.deletion)
    return start_version(services, info, redrives)


def start_version(
    services: IngestServices, info: ObjectInfo, redrives: str = "", identifier: str = ""
) -> StartResult:
    """Start the ingest of this version, the newest, unless it was started before.

    `identifier` is the one of a migration's manifest, if any. Raises TransientError.
    """
    if info.key.endswith("/") and info.size == 0:
        return StartResult.FOLDER
    outcome = services.outcomes.get(info.key)
    attempt = _find_attempt(services, info, outcome, redrives)
    if attempt is None:
        return StartResult.KNOWN
    text = identifier
    try:
        text = text or master_identifier(info, outcome, services.identifier_rule)
        request = _make_request(info, normalise_identifier(text), attempt, outcome)
    except MasterRejected as error:
        request = _make_request(info, text or key_stem(info.key), attempt, outcome)
        record_rejection(services, request, error.rejection)
        return StartResult.REJECTED
    # First the outcome, then the start: an execution may end before we come to write.
    record_outcome(services, request, "running")
    if services.pipeline.start(request.execution, request.as_json()):
        return StartResult.STARTED
    return StartResult.KNOWN


def master_identifier(
    info: ObjectInfo, outcome: Outcome | None, rule: IdentifierRule = DEFAULT_RULE
) -> str:
    """Return the identifier in the object's metadata, else the key's last one, else the rule's.

    The last one counts because a manifest may have given it: neither a redrive nor a new upload
    may change it. After a rejection it is the one with which the master was published last: a new
    name that was rejected with its master is not given to it later. Raises MasterRejected with code
    identifier-missing.
    """
    ended = outcome is not None and outcome.state in ("rejected", "withdrawn")
    kept = outcome.published_as if outcome and ended else ""
    if kept and outcome and outcome.master_version == info.version:
        return kept
    named = info.metadata.get(IDENTIFIER_METADATA) or kept
    if named or outcome is None or outcome.code in REFUSED_IDENTIFIERS:
        return named or rule.identifier(info.key)
    return outcome.identifier


def published_identifier(outcome: Outcome | None) -> str:
    """Return the identifier with which a master was published last, "" if it never was."""
    if outcome is None:
        return ""
    return outcome.published_as or (outcome.identifier if outcome.state == "published" else "")


def earlier_identifiers(outcome: Outcome | None, identifier: str) -> list[str]:
    """Return what a master was called before `identifier`, according to its last outcome."""
    if outcome is None:
        return []
    names = dict.fromkeys([*outcome.previous_identifiers, outcome.identifier])
    # A master that was rejected because it had no identifier left an empty one.
    return [name for name in names if name not in ("", identifier)]


def start_withdrawal(
    services: IngestServices, made: Outcome | Live, deletion: str, attempt: str = ""
) -> StartResult:
    """Start the withdrawal of a deleted master's image, which waits for the grace period.

    `made` is what the master led to. `deletion` is the version of its delete marker: events about
    one deletion start one withdrawal, a later deletion has its own grace period. Raises
    TransientError.
    """
    request = WithdrawImage(
        master_key=made.master_key,
        master_version=made.master_version,
        master_modified=made.master_modified,
        identifier=made.identifier,
        deletion=deletion,
        grace_seconds=services.withdrawal_grace_seconds,
        attempt=attempt,
        previous_identifiers=list(made.previous_identifiers) if isinstance(made, Outcome) else [],
        published_as=made.identifier if isinstance(made, Live) else published_identifier(made),
    )
    if services.withdrawals.start(request.execution, request.as_json()):
        return StartResult.WITHDRAWING
    return StartResult.KNOWN


@dataclass(frozen=True)
class _Attempt:
    """A try to ingest one version of a master."""

    redrives: str
    """The execution that it makes good, "" at the first try."""
    modified: str
    """The version's position in the order of the master's versions."""


def _find_attempt(
    services: IngestServices, info: ObjectInfo, outcome: Outcome | None, redrives: str
) -> _Attempt | None:
    """Return the attempt that is due or under way; None when there is nothing to do."""
    if outcome is None:
        return _Attempt("", info.modified)
    if outcome.master_version != info.version:
        return _attempt_at_another_version(services, info, outcome)
    if redrives and redrives in (outcome.execution, outcome.redrives):
        return _Attempt(redrives, outcome.master_modified)
    if outcome.ended_in_absence:
        return _Attempt(outcome.execution, outcome.master_modified)
    if outcome.state == "running":
        return _Attempt(outcome.redrives, outcome.master_modified)
    return None


def _attempt_at_another_version(
    services: IngestServices, info: ObjectInfo, outcome: Outcome
) -> _Attempt | None:
    if outcome.master_modified < info.modified:
        return _Attempt("", info.modified)
    if services.masters.head(info.key).version != info.version:
        return None
    # Either a newer version was deleted for good, and the one below it takes its position in the
    # order; or both are of one second, and then this one may have been ingested before.
    return _Attempt(outcome.execution, outcome.master_modified)


def _make_request(
    info: ObjectInfo, identifier: str, attempt: _Attempt, outcome: Outcome | None
) -> IngestMaster:
    return IngestMaster(
        master_key=info.key,
        master_version=info.version,
        master_etag=info.etag,
        master_bytes=info.size,
        master_modified=attempt.modified,
        identifier=identifier,
        redrives=attempt.redrives,
        previous_identifiers=earlier_identifiers(outcome, identifier),
        published_as=published_identifier(outcome),
        replaces=info.metadata.get(REPLACES_METADATA, ""),
    )
