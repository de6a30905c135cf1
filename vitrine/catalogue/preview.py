"""What publishing an item would come to: the rules it breaks, and its page. Nothing is written."""

import re
from dataclasses import dataclass

from vitrine.catalogue.cleaning import clean_item
from vitrine.catalogue.compose import take_in_readings
from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.records import Described, Item, ObjectRecord, used_images
from vitrine.catalogue.undigitised import stand_in
from vitrine.errors import ObjectRefused
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.store.clock import now

MAX_FAULTS = 100
_PLACED = re.compile(r"([\w.\[\]/]+): (.+)", re.DOTALL)


@dataclass(frozen=True)
class Fault:
    """A rule that an item breaks."""

    place: str
    """Place in the item, such as `canvases[0].alt_text`; empty: the whole of it."""
    reason: str
    """A sentence."""


@dataclass(frozen=True)
class Preview:
    """What publishing an item would come to."""

    faults: tuple[Fault, ...]
    """The first of them; with any, it would be refused."""
    page: str = ""
    """HTML of its first page in the site's first language; empty with faults."""


def preview(objects: Objects, item: Item, *, with_page: bool) -> Preview:
    """Return what putting an item would come to now. Raises TransientError.

    All texts in the page are escaped or cleaned, as in any page of the site. Still, a program in
    which somebody may change something shows it in a frame whose `sandbox` allows neither scripts,
    nor forms, nor the same origin, below a Content-Security-Policy whose `script-src` and
    `style-src` are `'self'` at most: nothing in the page can act for that person then.
    """
    item = clean_item(item)
    faults = [_split_sentence(one) for one in objects.find_faults(item)[:MAX_FAULTS]]
    if not faults:
        try:
            objects.refuse_cycle(item)
        except ObjectRefused as error:
            faults = [Fault("members", str(error))]
    if faults or not with_page:
        return Preview(tuple(faults))
    return Preview((), _render_page(objects, item).decode())


def _split_sentence(sentence: str) -> Fault:
    found = _PLACED.fullmatch(sentence)
    return Fault(found[1], found[2]) if found else Fault("", sentence)


def _render_page(objects: Objects, item: Item) -> bytes:
    """Return the page, with the images and texts that there are now."""
    publisher = objects.publisher
    if isinstance(item, ObjectCollection):
        return publisher.site_pages.render_collection(item)
    record: ObjectRecord = Described(identifier=item.identifier, changed_at=now(), item=item)
    images = live_images(publisher.shown, used_images(record))
    record = stand_in(record, images, publisher.shown, publisher.presentation.base)
    record, _ = take_in_readings(publisher.records, record, images, publisher.ocr_languages)
    assert isinstance(record, Described)
    assert isinstance(record.item, PublishedObject)
    return publisher.site_pages.render_object(record.item, images)
