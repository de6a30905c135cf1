"""The pages of a record that OCR reads, and the record with the texts of them."""

from collections.abc import Collection, Mapping

import msgspec

from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.records import Described, ObjectRecord, painted_images
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.ports import ObjectStore
from vitrine.records import Live
from vitrine.text.ocr_results.pages import ALL_READ, OcrPage, Unread, add_texts, list_pages


def ocr_pages(record: ObjectRecord | None, identifiers: ShownIdentifiers) -> list[OcrPage]:
    """Return the pages of a record that OCR is to read or has read, in their order."""
    match record:
        case Described(item=PublishedObject() as item):
            return [*list_pages(item, live_images(identifiers, painted_images(record)))]
    return []


def take_in_readings(
    records: ObjectStore,
    record: ObjectRecord,
    images: Mapping[str, Live],
    languages: Collection[str],
) -> tuple[ObjectRecord, Unread]:
    """Return the record with these texts, and what has yet to be read.

    `languages` are those that the environment reads.
    """
    match record:
        case Described(item=PublishedObject(ocr=ocr) as item) if ocr:
            read, unread = add_texts(records, item, images, languages)
            return msgspec.structs.replace(record, item=read), unread
    return record, ALL_READ
