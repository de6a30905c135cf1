"""The moment at which a new version of an image takes the place of the one before it.

Gateways learn of a new version one after the other, and the edge forgets the old one later still.
So a version that replaces another holds from a moment that its record carries, late enough for all
of that (`vitrine/edge/invalidation.py`), and until then every gateway shows the one before
(docs/adr/0010).
"""

from dataclasses import replace
from datetime import datetime, timedelta

from vitrine.records import Live
from vitrine.store.clock import rfc3339


def replace_later(current: Live, image: Live, seconds: float) -> Live:
    """Return `image` so that it replaces `current` this many seconds after its publication.

    With 0 it does so at once. Versions that are shown no more by then are left out.
    """
    if seconds <= 0:
        return image
    moment = datetime.fromisoformat(image.published_at)
    return replace(
        image,
        holds_from=rfc3339(moment + timedelta(seconds=seconds)),
        before=_drop_past(current, rfc3339(moment)),
    )


def list_switches(image: Live) -> list[tuple[datetime, Live]]:
    """Return when each switch to `image` takes place, first to last, and what is shown until then.

    Raises ValueError for a time that cannot be read.
    """
    switches = []
    while image.before:
        switches.append((datetime.fromisoformat(image.holds_from), image.before))
        image = image.before
    return switches[::-1]


def _drop_past(image: Live, at: str) -> Live:
    if image.before is None:
        return image
    if image.holds_from <= at:
        return replace(image, holds_from="", before=None)
    return replace(image, before=_drop_past(image.before, at))
