"""Start the ingest of one master: the event is a hint, the store is the truth."""

from dataclasses import dataclass
from enum import StrEnum

from vitrine.errors import MasterRejected, ObjectMissing
from vitrine.identify.identifier import normalise_identifier
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.ingest.messages import IngestMaster, WithdrawImage
from vitrine.ingest.outcomes import record_outcome, record_rejection
from vitrine.ingest.publish.previous_identifiers import former_identifiers
from vitrine.ingest.services import IngestServices
from vitrine.ports import ObjectInfo
from vitrine.records import Live, Outcome
from vitrine.store.layout import key_stem

IDENTIFIER_METADATA = "identifier"
"""Object metadata with which a curator gives a master its identifier."""
KEEP_WITHDRAWN_METADATA = "keep-withdrawn"
"""Object metadata, `yes`: the identifier is not taken from another master's withdrawn image."""
DEFAULT_RULE = IdentifierRule()
REFUSED_IDENTIFIERS = (
    "identifier-invalid",
    "identifier-missing",
    "identifier-taken",
    "identifier-withdrawn",
)
"""Codes of rejections after which the next upload is asked for its identifier anew."""


class Started(StrEnum):
    """What the starter did."""

    STARTED = "started"
    KNOWN = "known"
    """This version of the master is being ingested, or was."""
    MISSING = "missing"
    """Nothing lies under the key, and nothing of it is left to withdraw."""
    WITHDRAWING = "withdrawing"
    """The master was deleted: after the grace period its image will follow."""
    FOLDER = "folder"
    WAITING = "waiting"
    """Too much is running: the hint is back in the queue."""
    REJECTED = "rejected"


def start_ingest(services: IngestServices, master_key: str, redrives: str = "") -> Started:
    """Converge on what the store holds for `master_key` now. Raises TransientError.

    `redrives` names a failed execution. A failure is made good once: it gives the new execution
    its name, and it is not followed when another outcome took the failure's place meanwhile.
    """
    try:
        info = services.masters.head(master_key)
    except ObjectMissing as missing:
        outcome = services.outcomes.get(master_key)
        if outcome is None or outcome.state == "withdrawn":
            return Started.MISSING
        return start_withdrawal(services, outcome, missing.deletion)
    return start_version(services, info, redrives)


def start_version(
    services: IngestServices, info: ObjectInfo, redrives: str = "", identifier: str = ""
) -> Started:
    """Start the ingest of this version, the newest, unless it was. Raises TransientError.

    `identifier` is what a migration's manifest gives it.
    """
    if info.key.endswith("/") and info.size == 0:
        return Started.FOLDER
    outcome = services.outcomes.get(info.key)
    attempt = _attempt(services, info, outcome, redrives)
    if attempt is None:
        return Started.KNOWN
    text = identifier
    try:
        text = text or master_identifier(info, outcome, services.identifier_rule)
        request = _request(info, normalise_identifier(text), attempt, outcome)
    except MasterRejected as error:
        request = _request(info, text or key_stem(info.key), attempt, outcome)
        record_rejection(services, request, error.rejection)
        return Started.REJECTED
    # First the outcome, then the start: an execution may end before we come to write.
    record_outcome(services, request, "running")
    if services.pipeline.start(request.execution, request.as_json()):
        return Started.STARTED
    return Started.KNOWN


def master_identifier(
    info: ObjectInfo, outcome: Outcome | None, rule: IdentifierRule = DEFAULT_RULE
) -> str:
    """The identifier in the object's metadata, else the one the key had last, else by the rule.

    A manifest may have named it once: a redrive or a new upload must not give it another name.
    Raises MasterRejected with code identifier-missing.
    """
    named = info.metadata.get(IDENTIFIER_METADATA)
    if named or outcome is None or outcome.code in REFUSED_IDENTIFIERS:
        return named or rule.identifier(info.key)
    return outcome.identifier


def start_withdrawal(
    services: IngestServices, made: Outcome | Live, deletion: str, attempt: str = ""
) -> Started:
    """Let what was made of a master that is not there follow it after the grace period.

    `deletion` is the version of the master's delete marker: events about one deletion collide,
    and a later deletion has its own grace period. Raises TransientError.
    """
    request = WithdrawImage(
        master_key=made.master_key,
        master_version=made.master_version,
        master_modified=made.master_modified,
        identifier=made.identifier,
        deletion=deletion,
        grace_seconds=services.withdrawal_grace_seconds,
        attempt=attempt,
        formers=list(made.previous_identifiers) if isinstance(made, Outcome) else [],
    )
    if services.withdrawals.start(request.execution, request.as_json()):
        return Started.WITHDRAWING
    return Started.KNOWN


@dataclass(frozen=True)
class _Attempt:
    """At one version of a master. `redrives` is the execution whose end it makes good, "" for the
    first; `modified` is the master's place in the order of its versions."""

    redrives: str
    modified: str


def _attempt(
    services: IngestServices, info: ObjectInfo, outcome: Outcome | None, redrives: str
) -> _Attempt | None:
    """The attempt that is due, or under way; None when there is nothing to do."""
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
    # A newer version was there and was deleted for good: what it hid takes its place in the order.
    # Or both are of one second, and then this one may have been ingested before.
    return _Attempt(outcome.execution, outcome.master_modified)


def _request(
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
        formers=former_identifiers(outcome, identifier),
        keep_withdrawn=info.metadata.get(KEEP_WITHDRAWN_METADATA) == "yes",
    )
