"""Superseded access masters: tagged here, and expired by the bucket's lifecycle.

A tag on a live access master would lose an image, so two parties check each other: the code that
tags looks at the identifier afterwards, the code that publishes looks at the tags afterwards.
Whichever comes second sees what the other did.
"""

import logging

from vitrine.errors import ObjectMissing
from vitrine.ingest.outcome_services import OutcomeServices
from vitrine.records import Live
from vitrine.store.layout import SUPERSEDED_TAG

_log = logging.getLogger(__name__)


def tag_superseded(services: OutcomeServices, identifier: str, key: str) -> bool:
    """Let the access master `key` expire, unless `identifier` answers with it.

    Returns True if it will expire. Raises TransientError.
    """
    if _is_live(services, identifier, key):
        return False
    try:
        services.access_masters.tag(key, SUPERSEDED_TAG)
    except ObjectMissing:
        return False
    if not _is_live(services, identifier, key):
        return True
    services.access_masters.tag(key, {})
    return False


def try_to_tag_superseded(services: OutcomeServices, identifier: str, key: str) -> None:
    """Tag as `tag_superseded` does, but log any error: the reconciler tags what was left."""
    try:
        tag_superseded(services, identifier, key)
    except Exception:
        _log.warning("%s was not tagged as superseded", key, exc_info=True)


def is_superseded(services: OutcomeServices, key: str) -> bool:
    """Return True if the access master `key` will expire. Raises ObjectMissing, TransientError."""
    return SUPERSEDED_TAG.items() <= services.access_masters.tags(key).items()


def keep_live(services: OutcomeServices, key: str) -> None:
    """Take the tag off an access master that was just published. Raises TransientError."""
    if is_superseded(services, key):
        services.access_masters.tag(key, {})


def _is_live(services: OutcomeServices, identifier: str, key: str) -> bool:
    record = services.identifiers.get(identifier)
    return isinstance(record, Live) and record.access_master_key == key
