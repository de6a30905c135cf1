"""The redirects that a master leaves behind when it is given another identifier.

Its previous identifiers travel with it from outcome to outcome: an upload under a third name may
come before the second was ever published.
"""

import logging

from vitrine.errors import IdentifierRefused, TransientError
from vitrine.identify.redirects.redirects import Redirects
from vitrine.identify.register import Edit
from vitrine.identify.stated_rules import with_rules_of_both
from vitrine.ingest.publish.superseded import try_to_tag_superseded
from vitrine.ingest.services import IngestServices
from vitrine.records import Live, Record, Redirect
from vitrine.store.clock import now

RENAMED = "renamed"
"""Note of a redirect that a renamed image left behind."""
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
    redirects, change = Redirects(services.register), None
    try:
        if isinstance(current, Live) and current.master_key == image.master_key:
            edit = redirect_previous_identifier(image, current, now())
            services.register.change(image.identifier, _restrict_access(image, current))
            change = redirects.change_and_collapse(previous, edit).change
        elif isinstance(current, Redirect):  # of an earlier try, which may have been interrupted
            redirects.collapse_around(previous)
    except IdentifierRefused as error:
        # Somebody redirected the new name to the old one at this moment: both keep what they have.
        _log.warning("%s stays as it is: %s", previous, error)
    if change and change.made and isinstance(change.replaced, Live):
        try_to_tag_superseded(services, previous, change.replaced.access_master_key)


def _restrict_access(image: Live, other: Record) -> Edit:
    """Let nobody see more of an image, of any version, than the rule of `other` allows."""

    def edit(current: Record | None) -> Record | None:
        if not isinstance(current, Live) or current.master_key != image.master_key:
            return None
        edited = with_rules_of_both(current, other)
        return None if edited == current else edited

    return edit


def redirect_previous_identifier(image: Live, previous: Live, at: str) -> Edit:
    """Redirect a previous identifier of `image`'s master to the image.

    Does so only while that identifier answers with an image of the same master, of this version
    or an older one. The image has taken over the rules of `previous`; raises TransientError if it
    has others since.
    """

    def edit(current: Record | None) -> Redirect | None:
        if not isinstance(current, Live) or current.master_key != image.master_key:
            return None
        if current.master_modified > image.master_modified:
            return None
        name = previous.identifier
        if current.stated_rule != previous.stated_rule:
            raise TransientError(f'The rule of access of "{name}" was just changed.')
        return Redirect(identifier=name, target=image.identifier, changed_at=at, note=RENAMED)

    return edit
