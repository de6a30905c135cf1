"""The redirects that a master leaves behind when it is given another identifier.

Its previous identifiers travel with it from outcome to outcome: an upload under a third name may
come before the second was ever published.
"""

import logging

from vitrine.errors import IdentifierRefused
from vitrine.identify.access_changes import restrict_access
from vitrine.identify.changes import redirect_previous_identifier
from vitrine.identify.redirects.redirects import Redirects
from vitrine.ingest.publish.superseded import try_to_tag_superseded
from vitrine.ingest.services import IngestServices
from vitrine.records import Live, Redirect
from vitrine.store.clock import now

_log = logging.getLogger(__name__)


def leave_redirects(services: IngestServices, identifiers: list[str], image: Live) -> None:
    """Redirect the previous `identifiers` of `image`'s master to it, once it is published.

    Only those that still answer with an image of that master. The image takes over their rules of
    access first: one may have been closed since the image was published. A newer run of the master
    that published under another name before us could not see our image: then ours is a previous
    identifier of that one. Raises TransientError; a second try continues.
    """
    for identifier in identifiers:
        _redirect_previous(services, identifier, image)
    newest = services.outcomes.get(image.master_key)
    if newest is None or newest.state != "published" or newest.identifier == image.identifier:
        return
    other = services.identifiers.get(newest.identifier)
    if isinstance(other, Live) and other.master_key == image.master_key:
        _redirect_previous(services, image.identifier, other)


def _redirect_previous(services: IngestServices, previous: str, image: Live) -> None:
    current = services.identifiers.get(previous)
    redirects = Redirects(services.register)
    try:
        if isinstance(current, Redirect):  # of an earlier try, which may have been interrupted
            redirects.collapse_around(previous)
        if not isinstance(current, Live) or current.master_key != image.master_key:
            return
        services.register.change(image.identifier, restrict_access(image, current))
        change = redirects.change_and_collapse(
            previous,
            redirect_previous_identifier(image, current, now()),
        ).change
    except IdentifierRefused as error:
        # Somebody redirected the new name to the old one at this moment: both keep what they have.
        _log.warning("%s stays as it is: %s", previous, error)
        return
    if change.made and isinstance(change.replaced, Live):
        try_to_tag_superseded(services, previous, change.replaced.access_master_key)
