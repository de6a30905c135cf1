"""Objects that have a page before their first image is published."""

from collections.abc import Mapping

import msgspec

from vitrine.catalogue.live_images import images_to_come
from vitrine.catalogue.records import Described, ObjectRecord, painted_images
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import Canvas, ImageElsewhere, PublishedObject, Texts
from vitrine.records import Live
from vitrine.site.pages.strings import LANGUAGES, strings
from vitrine.store.site_layout import NOT_DIGITISED

WIDTH, HEIGHT = 1_200, 900
"""Pixels of the canvas: viewers want some, and the picture has no edge."""


def stand_in(
    record: ObjectRecord, images: Mapping[str, Live], identifiers: ShownIdentifiers, base: str
) -> ObjectRecord:
    """Return the record of an object that waits for its images with a picture in their place.

    Of an object only that asks for a page before them: any other record is returned as it is, and
    so is one of an image that was withdrawn or that nobody may see. `images` are those of the
    record that are published. Raises TransientError.
    """
    match record:
        case Described(item=PublishedObject(page_before_images=True) as item):
            painted = painted_images(record)
            is_shown = painted & images.keys() or any(one.elsewhere for one in item.canvases)
            if is_shown or not painted <= images_to_come(identifiers, painted):
                return record
            shown = msgspec.structs.replace(
                item, canvases=(_not_digitised(base),), ranges=(), start=0, ocr=""
            )
            return msgspec.structs.replace(record, item=shown)
    return record


def _not_digitised(base: str) -> Canvas:
    said: Texts = {one: (strings(one)["not_digitised"],) for one in LANGUAGES}
    picture = ImageElsewhere(address=base + NOT_DIGITISED, width=WIDTH, height=HEIGHT)
    return Canvas(elsewhere=picture, label=said, alt_text=said)
