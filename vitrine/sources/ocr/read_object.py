"""The pages of an object are read, one after the other, and what became of each is noted.

One process reads an object at a time. However it ends, what it has read stays, and the next process
publishes it. A few pages may not have been noted: the next process finds their texts, and notes
each of the other pages before it begins with it. So a page is not tried again if two processes that
had noted it died.
"""

from collections import Counter

from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.records import Described, painted_images
from vitrine.errors import PreconditionFailed, TransientError
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.records import Live
from vitrine.slices import Slice
from vitrine.sources.ocr.claim import Turn, announce_texts
from vitrine.sources.ocr.ocr_services import OcrServices
from vitrine.store.clock import rfc3339
from vitrine.store.collection_rules import HeldRules
from vitrine.text.ocr_results.pages import list_unread
from vitrine.text.ocr_results.stored import CLAIMED, load_readings


def read_object(
    services: OcrServices,
    identifier: str,
    time: Slice,
    counts: Counter[str],
) -> None:
    """Read pages of an object that were not read yet, while there is time.

    Then `TextsRead` has it published, also if all were read before, by a process that died then; if
    pages are left, that has them read. Adds to `counts` how many pages became what, also if it
    raises then; none if another process is reading, which publishes when it ends. Raises
    TransientError if a page is to be tried again or what became of it could not be noted, if there
    is no time, and for other languages.
    """
    item, images = _shown(services, identifier)
    readings, etag = load_readings(services.records, identifier)
    if item is None or readings.is_claimed(services.clock()):
        return
    unread = list_unread(item, images, readings)
    if not unread:
        announce_texts(services.events, identifier)
        return
    until = rfc3339(services.clock() + CLAIMED)
    turn = Turn(services, item, dict(readings.pages), etag, until)
    if readings.claimed_until:
        unread = turn.recover(unread)
    try:
        turn.save(claimed=True)
    except PreconditionFailed:
        return
    try:
        turn.read_all(unread, time, is_heir=bool(readings.claimed_until))
    finally:
        counts.update(turn.counts)
    if turn.counts:
        announce_texts(services.events, identifier)
    if turn.faults:
        raise TransientError(f"{len(turn.faults):,} faults of {identifier}: {turn.faults[0]}")
    if unread and not turn.counts:
        raise TransientError(f"There was no time for a page of {identifier}")


def _shown(
    services: OcrServices, identifier: str
) -> tuple[PublishedObject | None, dict[str, Live]]:
    """Return the object as it is described now, if it is to be read, and its images.

    Raises TransientError for a language that is not known here: it may be after a deployment.
    """
    record = services.journal.latest(identifier)
    match record:
        case Described(item=PublishedObject(ocr=ocr) as item) if ocr:
            if absent := {*ocr.split("+")} - {*services.languages}:
                raise TransientError(f"{identifier} needs {', '.join(sorted(absent))}")
            shown = ShownIdentifiers(services.identifiers, HeldRules(services.records))
            return item, live_images(shown, painted_images(record))
    return None, {}
