"""One encoding in a process of its own: `python encode_worker.py HOW SOURCE TARGET`.

Prints CPU seconds and wall seconds as JSON, the imports not counted. It is run as a file, so that
the vitrine it imports is that of any checkout.
"""

import json
import os
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyvips

from vitrine.ingest.convert.access_master import to_file, write_access_master
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.inspect.vips import prepare_libvips
from vitrine.ingest.recipe import STANDARD

MASTERS, ACCESS_MASTERS = "ENCODE_MASTERS", "ENCODE_ACCESS_MASTERS"
"""Variables of the environment with the buckets of `convert-master`."""


def encode_picture(how: str, source: str, target: Path) -> None:
    """Encode with our standard recipe, or with `tiffsave-<quality>`."""
    image = pyvips.Image.new_from_file(source, access="sequential")
    if how == "standard":
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            write_access_master(
                image, Metadata(), STANDARD, to_file(target), Path(scratch), lambda rows: None
            )
        return
    image.tiffsave(
        str(target),
        compression="jpeg",
        Q=int(how.partition("-")[2]),
        tile=True,
        tile_width=256,
        tile_height=256,
        pyramid=True,
        bigtiff=image.width * image.height > 1_000_000_000,
    )


def convert_master(source: str, target: Path) -> None:
    """Do what the Lambda ConvertMaster does, from one bucket into another; fetch its result."""
    from vitrine.adapters.aws.object_store import S3ObjectStore
    from vitrine.adapters.memory.ingest_services import MemoryIngestServices
    from vitrine.bootstrap.aws_access import environment_access
    from vitrine.ingest.inspect.limits import MasterLimits
    from vitrine.ingest.messages import IngestMaster
    from vitrine.ingest.steps import check_master, convert_master

    client = environment_access().client("s3")
    stores: dict[str, Any] = {
        "masters": S3ObjectStore(client, os.environ[MASTERS]),
        "access_masters": S3ObjectStore(client, os.environ[ACCESS_MASTERS]),
    }
    limits = MasterLimits(pixels=2_000_000_000, bytes=1 << 40)
    services = MemoryIngestServices(recipe=STANDARD, limits=limits, **stores)
    info = services.masters.head(Path(source).name)
    request = IngestMaster(
        master_key=info.key,
        master_version=info.version,
        master_etag=info.etag,
        master_bytes=info.size,
        master_modified=info.modified,
        identifier=uuid.uuid4().hex,
    )
    with _report():
        check_master.check_master(services, request)
        converted = convert_master.convert_master(services, request)
    services.access_masters.download(converted.access_master_key, target)


@contextmanager
def _report() -> Iterator[None]:
    cpu, wall = time.process_time(), time.monotonic()
    yield
    figures = {
        "cpu_seconds": time.process_time() - cpu,
        "wall_seconds": time.monotonic() - wall,
    }
    print(json.dumps(figures))


def main() -> None:
    """Encode and print what it took."""
    how, source, target = sys.argv[1:]
    prepare_libvips()
    if how == "convert-master":
        convert_master(source, Path(target))
        return
    with _report():
        encode_picture(how, source, Path(target))


if __name__ == "__main__":
    main()
