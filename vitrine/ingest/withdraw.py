"""Withdraw the image of a deleted master: its identifier becomes a tombstone.

Between the deletion and this step lies the grace period, which the state machine waits for. As
everywhere the event was only a hint: what counts is what the store holds now.
"""

from contextlib import suppress
from functools import partial

from vitrine.errors import ObjectMissing, SupersededMaster
from vitrine.events import ImageWithdrawn
from vitrine.identify.record import Gone, Live, Record
from vitrine.ingest.messages import WithdrawImage
from vitrine.ingest.outcome import Outcome
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start import start_version
from vitrine.ingest.superseded import try_to_tag_superseded
from vitrine.store.clock import now

REASON = "The master was deleted."


def withdraw_image(services: IngestServices, request: WithdrawImage) -> None:
    """Replace the image by a tombstone, in one conditional write, and say so.

    A repeated run ends where the first would have. Raises SupersededMaster when the master is back
    or was deleted once more, later; TransientError.
    """
    _check_absent(services, request)
    record = _bury(services, request)
    services.outcomes.record(_outcome(request))
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


def _bury(services: IngestServices, request: WithdrawImage) -> Record | None:
    change = services.register.change(request.identifier, partial(_tombstone, request))
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
    )
