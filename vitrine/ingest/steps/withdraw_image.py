"""WithdrawImage: the identifier of a deleted master's image becomes a tombstone.

The state machine waits for the grace period before this step. As everywhere the event was only a
hint: what counts is what the store holds now.
"""

from contextlib import suppress
from functools import partial

from vitrine.errors import ObjectMissing, SupersededMaster
from vitrine.events import ImageWithdrawn
from vitrine.ingest.messages import WithdrawImage
from vitrine.ingest.publish.superseded import try_to_tag_superseded
from vitrine.ingest.record_outcome import keep_outcome
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import start_version
from vitrine.records import Gone, Live, Outcome, Record
from vitrine.store.clock import now

REASON = "The master was deleted."


def withdraw_image(services: IngestServices, request: WithdrawImage) -> None:
    """Replace the image by a tombstone, in one conditional write, and publish the event.

    A repeated run gives the same result. Raises SupersededMaster when the master is back, or was
    deleted again later; TransientError.
    """
    _check_absent(services, request)
    records = [_withdraw_name(services, request, name) for name in _image_names(services, request)]
    keep_outcome(services, _make_outcome(request))
    for record in records:
        if isinstance(record, Gone):
            event = ImageWithdrawn(
                identifier=record.identifier,
                master_key=request.master_key,
                reason=record.reason,
                withdrawn_at=record.changed_at,
            )
            services.events.publish(event.name(), event.detail())
    # The master may have been restored while we wrote, and its hint come before the tombstone.
    with suppress(ObjectMissing):
        start_version(services, services.masters.head(request.master_key))


def _check_absent(services: IngestServices, request: WithdrawImage) -> None:
    try:
        info = services.masters.head(request.master_key)
    except ObjectMissing as missing:
        if request.deletion and missing.deletion not in ("", request.deletion):
            raise SupersededMaster(f"{request.master_key} was deleted again") from missing
        return
    start_version(services, info)
    raise SupersededMaster(f"{request.master_key} was restored")


def _image_names(services: IngestServices, request: WithdrawImage) -> list[str]:
    """Return the identifiers under which the master's images may answer.

    Redirects among the previous ones need nothing: they answer like their target.
    """
    names = [name for name in request.previous_identifiers if _was_image(services, request, name)]
    return [*names, request.identifier] if request.identifier else names


def _was_image(services: IngestServices, request: WithdrawImage, name: str) -> bool:
    """Return True if `name` is an image of the master, or was before an earlier try of this step.

    That try may have died before it published the event.
    """
    record = services.identifiers.get(name)
    if isinstance(record, Gone):
        record = services.register.journal.entry(name, record.revision - 1)
    return isinstance(record, Live) and record.master_key == request.master_key


def _withdraw_name(services: IngestServices, request: WithdrawImage, name: str) -> Record | None:
    change = services.register.change(name, partial(_make_tombstone, request))
    if isinstance(change.after, Gone) and isinstance(change.replaced, Live):
        image = change.replaced
        try_to_tag_superseded(services, image.identifier, image.access_master_key)
    return change.after


def _make_tombstone(request: WithdrawImage, current: Record | None) -> Gone | None:
    if not isinstance(current, Live) or current.master_key != request.master_key:
        return None
    return Gone(identifier=current.identifier, reason=REASON, changed_at=now(), by_curator=False)


def _make_outcome(request: WithdrawImage) -> Outcome:
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
        previous_identifiers=tuple(request.previous_identifiers),
        published_as=request.published_as,
    )
