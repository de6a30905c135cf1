"""Withdraw the image of a deleted master: its identifier becomes a tombstone.

Between the deletion and this step lies the grace period, which the state machine waits for. As
everywhere the event was only a hint: what counts is what the store holds now.
"""

from contextlib import suppress
from functools import partial

from vitrine.errors import ObjectMissing, SupersededMaster
from vitrine.events import ImageWithdrawn
from vitrine.ingest.messages import WithdrawImage
from vitrine.ingest.outcomes import keep_outcome
from vitrine.ingest.repair.superseded import try_to_tag_superseded
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import start_version
from vitrine.records import Gone, Live, Outcome, Record
from vitrine.store.clock import now

REASON = "The master was deleted."


def withdraw_image(services: IngestServices, request: WithdrawImage) -> None:
    """Replace the image by a tombstone, in one conditional write, and say so.

    A repeated run ends where the first would have. Raises SupersededMaster when the master is back
    or was deleted once more, later; TransientError.
    """
    _check_absent(services, request)
    buried = [_bury(services, request, name) for name in _names(services, request)]
    keep_outcome(services, _outcome(request))
    for record in buried:
        if isinstance(record, Gone):
            event = ImageWithdrawn(
                identifier=record.identifier,
                master_key=request.master_key,
                reason=record.reason,
                withdrawn_at=record.changed_at,
            )
            services.events.publish(event.name(), event.detail())
    # Restored while we wrote: its hint may have come too early to find a tombstone.
    with suppress(ObjectMissing):
        start_version(services, services.masters.head(request.master_key))


def _check_absent(services: IngestServices, request: WithdrawImage) -> None:
    try:
        info = services.masters.head(request.master_key)
    except ObjectMissing as missing:
        if request.deletion and missing.deletion not in ("", request.deletion):
            raise SupersededMaster(f"{request.master_key} was deleted once more") from missing
        return
    start_version(services, info)
    raise SupersededMaster(f"{request.master_key} was restored")


def _names(services: IngestServices, request: WithdrawImage) -> list[str]:
    """Under which its images may answer; redirects among the former ones lead on by themselves."""
    formers = [name for name in request.formers if _was_image(services, request, name)]
    return [*formers, request.identifier] if request.identifier else formers


def _was_image(services: IngestServices, request: WithdrawImage, name: str) -> bool:
    """It is one still, or an earlier try, which may have died before it told anybody, buried it."""
    there = services.identifiers.get(name)
    if isinstance(there, Gone):
        there = services.register.journal.entry(name, there.revision - 1)
    return isinstance(there, Live) and there.master_key == request.master_key


def _bury(services: IngestServices, request: WithdrawImage, name: str) -> Record | None:
    change = services.register.change(name, partial(_tombstone, request))
    if isinstance(change.after, Gone) and isinstance(change.replaced, Live):
        image = change.replaced
        try_to_tag_superseded(services, image.identifier, image.access_master_key)
    return change.after


def _tombstone(request: WithdrawImage, there: Record | None) -> Gone | None:
    if not isinstance(there, Live) or there.master_key != request.master_key:
        return None
    return Gone(identifier=there.identifier, reason=REASON, changed_at=now())


def _outcome(request: WithdrawImage) -> Outcome:
    return Outcome(
        master_key=request.master_key,
        master_version=request.master_version,
        master_modified=request.master_modified,
        identifier=request.identifier,
        state="withdrawn",
        changed_at=now(),
        code="withdrawn",
        sentence=REASON,
        execution=request.execution,
        previous_identifiers=tuple(request.formers),
    )
