"""OCR: objects with unread pages -> the texts of these pages."""

from collections import Counter
from typing import Any

from vitrine.adapters.aws.lambda_step import count, lambda_step
from vitrine.adapters.aws.sqs_batch import process_records, read_identifier
from vitrine.bootstrap.ocr import ocr_services
from vitrine.slices import Slice
from vitrine.sources.ocr.page_reader import PAGE_SECONDS
from vitrine.sources.ocr.read_object import read_object

STEP = "read_pages"
MIN_MILLISECONDS = (PAGE_SECONDS + 60) * 1_000
"""Enough for one more page, and to note what became of it."""


@lambda_step(STEP)
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Read pages of the objects that messages name; the record counts, not the message."""

    time = Slice(context.get_remaining_time_in_millis, MIN_MILLISECONDS)

    def read(body: str) -> None:
        counts: Counter[str] = Counter()
        try:
            read_object(ocr_services(), read_identifier(body), time, counts)
        finally:
            count(STEP, counts)

    return process_records(event, read)
