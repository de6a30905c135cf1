"""What the photo door works with."""

import os
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from vitrine.adapters.aws.download_addresses import S3DownloadAddresses
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.use_counter import DynamoUseCounter
from vitrine.api.photo_forms import Forms
from vitrine.bootstrap.aws_access import environment_access
from vitrine.photos.admission import LongSlots
from vitrine.photos.services import PhotoServices
from vitrine.photos.thumbnails import parse_thumbnails
from vitrine.settings.photos import PhotoSettings

FUNCTION_ANSWER_BYTES = 4 << 20
"""Bytes of a Lambda's answer, which has at most 6 MB as Base64 and a little more."""


@cache
def function_services() -> PhotoServices:
    """Return the services of a Lambda, which decodes one photograph at a time.

    Raises ValueError for thumbnails that are not possible.
    """
    settings = PhotoSettings.from_environment(os.environ)
    # Slots are for processes that share a machine: here each has its own.
    settings = replace(settings, work_directory=tempfile.mkdtemp())
    return replace(photo_services(settings), most_answer_bytes=FUNCTION_ANSWER_BYTES)


def photo_services(settings: PhotoSettings) -> PhotoServices:
    """Return the services of a process. Raises ValueError for thumbnails that are not possible."""
    access = environment_access()
    records = S3ObjectStore(access.client("s3"), settings.records_bucket)
    return door_services(
        settings,
        forms=Forms(records),
        uses=DynamoUseCounter(access.client("dynamodb"), settings.uses_table),
        masters=S3ObjectStore(access.client("s3"), settings.masters_bucket),
        records=records,
        addresses=S3DownloadAddresses(access.signing_client(), settings.records_bucket),
    )


def door_services(settings: PhotoSettings, **ports: Any) -> PhotoServices:
    """Return the services over these ports, with the limits of the settings.

    Raises ValueError for thumbnails that are not possible.
    """
    return PhotoServices(
        **ports,
        slots=LongSlots(
            folder=Path(settings.work_directory) / "run",
            count=(settings.photo_workers + 1) // 2,
        ),
        thumbnails=parse_thumbnails(settings.thumbnails),
        most_bytes=settings.maximum_photo_mebibytes << 20,
        most_pixels=settings.maximum_photo_megapixels * 1_000_000,
        most_memory_bytes=settings.photo_memory_mebibytes << 20,
        gps=settings.photo_place == "show",
        edge_url=settings.public_base_url,
    )
