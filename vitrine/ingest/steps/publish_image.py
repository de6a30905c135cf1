"""PublishImage: flip an identifier to a verified access master. MasterConverted -> Live."""

from dataclasses import replace
from functools import partial

from vitrine.errors import SupersededMaster
from vitrine.events import ImagePublished
from vitrine.identify.owners import owner_of_master
from vitrine.identify.stated_rules import copy_rule, with_rules_of_both
from vitrine.identify.switch import replace_later
from vitrine.ingest.messages import MasterConverted
from vitrine.ingest.publish.identifier_claim import (
    check_newest,
    check_not_withdrawn,
    check_record,
)
from vitrine.ingest.publish.previous_identifiers import leave_redirects
from vitrine.ingest.publish.superseded import keep_live, tag_superseded, try_to_tag_superseded
from vitrine.ingest.record_outcome import record_outcome
from vitrine.ingest.services import IngestServices
from vitrine.records import Live, Record
from vitrine.store.clock import now


def publish_image(services: IngestServices, request: MasterConverted) -> Live:
    """Flip the identifier to this version, whole or not at all, and return its image.

    The access master that is superseded by this, of this run or of the image before it, is tagged.
    Raises SupersededMaster when the store holds a newer master or the identifier a newer image;
    MasterRejected when the master was deleted, or when the identifier belongs to another master,
    was withdrawn by a curator, or redirects to another master's image.
    """
    image = _make_record(request, owner_of_master(services.records, request.master_key))
    try:
        check_newest(services, request)
        check_not_withdrawn(services, request)
        change = services.register.change(
            image.identifier, partial(_decide_record, services, request, image)
        )
    except SupersededMaster:
        tag_superseded(services, image.identifier, image.access_master_key)
        raise
    assert isinstance(change.after, Live)
    keep_live(services, image.access_master_key)
    replaced = change.replaced
    if isinstance(replaced, Live) and replaced.access_master_key != image.access_master_key:
        try_to_tag_superseded(services, image.identifier, replaced.access_master_key)
    record_outcome(services, request, "published", notes=request.notes)
    leave_redirects(services, request.previous_identifiers, change.after)
    check_not_withdrawn(services, request)
    event = ImagePublished.of(change.after)
    services.events.publish(event.name(), event.detail())
    return change.after


def _decide_record(
    services: IngestServices, request: MasterConverted, image: Live, current: Record | None
) -> Live | None:
    """Return `image` if it replaces `current`: nothing, a tombstone, an older version, a redirect.

    Returns None if `current` is that image already. Raises as `publish_image` does.
    """
    check_record(services.identifiers, request, image.owner, current)
    if not isinstance(current, Live):
        # A redirect or tombstone has a rule of long ago, or one that was set for this image.
        ruled = copy_rule(image, current) if current else image
        return _with_rule_of_last_name(services, request, ruled)
    if current.access:
        image = copy_rule(image, current)
    else:
        image = _with_rule_of_last_name(services, request, copy_rule(image, current))
    if current.master_modified > image.master_modified:
        raise SupersededMaster(image.master_key)
    if current.master_version != image.master_version:
        # Their dates may be the same: ask the store again, now that the other one is published.
        check_newest(services, request)
    same = replace(
        image,
        revision=current.revision,
        links_from=current.links_from,
        published_at=current.published_at,
        holds_from=current.holds_from,
        before=current.before,
    )
    return None if same == current else replace_later(current, image, services.switch_seconds)


def _with_rule_of_last_name(
    services: IngestServices, request: MasterConverted, image: Live
) -> Live:
    """Return the image under the rule, too, that the master's image had under its last name."""
    names = [request.published_as, *reversed(request.previous_identifiers)]
    records = (services.identifiers.get(name) for name in names if name)
    last = next((record for record in records if record and record.access), None)
    return with_rules_of_both(image, last) if last else image


def _make_record(request: MasterConverted, owner: str) -> Live:
    return Live(
        identifier=request.identifier,
        owner=owner,
        version=request.version,
        access_master_key=request.access_master_key,
        access_master_bytes=request.access_master_bytes,
        width=request.width,
        height=request.height,
        tile_width=request.tile_width,
        tile_height=request.tile_height,
        levels=tuple((width, height) for width, height in request.levels),
        master_key=request.master_key,
        master_version=request.master_version,
        master_modified=request.master_modified,
        published_at=now(),
    )
