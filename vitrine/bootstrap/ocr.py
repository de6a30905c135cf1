"""What reading pages by OCR works with."""

import os
from functools import cache

from vitrine.adapters.aws.event_bus import EventBridgeBus
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.bootstrap.aws_access import environment_access
from vitrine.catalogue.records import objects_journal
from vitrine.settings.present import OcrSettings
from vitrine.sources.ocr.ocr_services import OcrServices
from vitrine.sources.ocr.page_reader import tesseract_reader
from vitrine.text.ocr_results.languages import split_languages


@cache
def ocr_services() -> OcrServices:
    """Return what the process's environment names. Raises OSError if there is no Tesseract."""
    settings, access = OcrSettings.from_environment(os.environ), environment_access()
    s3 = access.client("s3")
    records = S3ObjectStore(s3, settings.records_bucket)
    return OcrServices(
        records=records,
        access_masters=S3ObjectStore(s3, settings.access_masters_bucket),
        journal=objects_journal(records),
        identifiers=DynamoIdentifierTable(access.client("dynamodb"), settings.identifiers_table),
        events=EventBridgeBus(access.client("events"), settings.event_bus),
        reader=tesseract_reader(
            memory_mebibytes=settings.memory_mebibytes, megapixels=settings.maximum_megapixels
        ),
        languages=split_languages(settings.languages),
    )
