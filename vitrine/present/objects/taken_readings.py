"""A record with the texts that OCR has read of its pages."""

from collections.abc import Collection, Mapping

import msgspec

from vitrine.iiif.presentation.model import PublishedObject
from vitrine.ports import ObjectStore
from vitrine.present.objects.records import Described, ObjectRecord
from vitrine.present.readings.pages import ALL_READ, Unread, add_texts
from vitrine.records import Live


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
