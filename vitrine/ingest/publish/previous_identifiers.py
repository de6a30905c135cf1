"""A master that was given another identifier leaves its former one behind as a redirect.

Which those are travels with it, from outcome to outcome: an upload under a third name may come
before the second was ever published.
"""

import logging

from vitrine.errors import IdentifierRefused
from vitrine.identify.changes import redirect_previous_identifier
from vitrine.identify.redirects.redirects import Redirects
from vitrine.ingest.repair.superseded import try_to_tag_superseded
from vitrine.ingest.services import IngestServices
from vitrine.records import Live, Outcome, Redirect
from vitrine.store.clock import now

_log = logging.getLogger(__name__)


def former_identifiers(outcome: Outcome | None, identifier: str) -> list[str]:
    """What a master was called before `identifier`, as its last outcome tells it."""
    if outcome is None:
        return []
    names = dict.fromkeys([*outcome.previous_identifiers, outcome.identifier])
    # A master that was refused for want of a name has none that could be asked for.
    return [name for name in names if name not in ("", identifier)]


def leave_redirects(services: IngestServices, formers: list[str], image: Live) -> None:
    """Let the former identifiers of `image`'s master lead to it, once it is recorded as published.

    Only those that still answer with an image of that master. A newer run of it that published
    under another name before us could not see our image: then ours is the former one. Raises
    TransientError: a second try goes on.
    """
    for former in formers:
        _leave(services, former, image)
    newest = services.outcomes.get(image.master_key)
    if newest is None or newest.state != "published" or newest.identifier == image.identifier:
        return
    other = services.identifiers.get(newest.identifier)
    if isinstance(other, Live) and other.master_key == image.master_key:
        _leave(services, image.identifier, other)


def _leave(services: IngestServices, former: str, image: Live) -> None:
    there = services.identifiers.get(former)
    redirects = Redirects(services.register)
    try:
        if isinstance(there, Redirect):  # of an earlier try, which may not have come to its end
            redirects.collapse_around(former)
        if not isinstance(there, Live) or there.master_key != image.master_key:
            return
        change = redirects.change_and_collapse(
            former, redirect_previous_identifier(image, former, now())
        ).change
    except IdentifierRefused as error:
        # Somebody let the new name lead to the old one in this moment: both keep what they have.
        _log.warning("%s stays as it is: %s", former, error)
        return
    if change.made and isinstance(change.replaced, Live):
        try_to_tag_superseded(services, former, change.replaced.access_master_key)
