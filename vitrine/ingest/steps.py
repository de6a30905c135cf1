"""ReadHeader, ConvertMaster and VerifyAccessMaster: each takes the result of the one before."""

import hashlib
import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import pyvips

from vitrine.errors import MasterRejected, ObjectMissing
from vitrine.identify.record import Live
from vitrine.ingest import rejections
from vitrine.ingest.access_master import CONTENT_TYPE, Structure, read_structure
from vitrine.ingest.convert import Converted, convert
from vitrine.ingest.formats import PREFIX_BYTES, check_whole, detect_format
from vitrine.ingest.header import Header, OpenSource, check_size, read_header
from vitrine.ingest.messages import HeaderRead, IngestMaster, MasterConverted
from vitrine.ingest.services import IngestServices
from vitrine.ingest.verify import verify
from vitrine.ingest.vips import RangedSources
from vitrine.ports import ObjectInfo
from vitrine.store.layout import access_master_key, image_version
from vitrine.store.ranged import RangedFile


def read_master_header(services: IngestServices, request: IngestMaster) -> HeaderRead:
    """Validate the master by a few ranged reads. Raises MasterRejected, TransientError."""
    check_size(request.master_bytes, services.limits)
    refuse_taken_identifier(services, request)
    master = RangedFile(
        services.masters, request.master_key, request.master_bytes, request.master_version
    )
    try:
        prefix = master.read_at(0, PREFIX_BYTES)
        file_format = detect_format(prefix)
        if file_format == "tiff":
            check_whole(prefix, master.size)
        sources = RangedSources(master)
        header = _header(sources, file_format, services, sources)
    except ObjectMissing as error:
        raise rejections.master_deleted(request.master_key) from error
    return HeaderRead(
        **asdict(request), format=header.format, width=header.width, height=header.height
    )


def refuse_taken_identifier(services: IngestServices, request: IngestMaster) -> None:
    """Raises MasterRejected with code identifier-taken, before anything is converted."""
    record = services.identifiers.get(request.identifier)
    if isinstance(record, Live) and record.master_key != request.master_key:
        raise rejections.identifier_taken(request.identifier, record.master_key)


def convert_master(services: IngestServices, request: HeaderRead) -> MasterConverted:
    """Put an access master into the store, unless this very conversion was done before.

    Raises MasterRejected, TransientError, OSError where the scratch disk is too small.
    """
    with tempfile.TemporaryDirectory(prefix="vitrine-") as directory:
        scratch = Path(directory)
        master = scratch / "master"
        checksum = _fetch(services, request, master)
        version = image_version(checksum, services.recipe.label)
        key = access_master_key(request.identifier, version)
        done = _converted_before(services, key)
        if done:
            return _result(request, version, *done)
        header = _header(lambda: pyvips.Source.new_from_file(str(master)), request.format, services)
        converted = convert(master, header, services.recipe, scratch)
        info = _store(services, key, converted, checksum, request)
        return _result(request, version, info, converted.structure, converted.samples)


def verify_access_master(services: IngestServices, request: MasterConverted) -> MasterConverted:
    """Reopen what lies in the store. Raises MasterRejected with code conversion-differs."""
    file = RangedFile(
        services.access_masters, request.access_master_key, request.access_master_bytes
    )
    sources = RangedSources(file)
    try:
        verify(sources, request)
    except (pyvips.Error, MasterRejected):
        sources.raise_failure()
        raise
    return request


def _header(
    open_source: OpenSource,
    file_format: str,
    services: IngestServices,
    sources: RangedSources | None = None,
) -> Header:
    try:
        return read_header(open_source, file_format, services.limits)
    except MasterRejected:
        if sources:
            sources.raise_failure()
        raise


def _fetch(services: IngestServices, request: IngestMaster, path: Path) -> str:
    """Download the master; its SHA-256."""
    try:
        services.masters.download(request.master_key, path, request.master_version)
    except ObjectMissing as error:
        raise rejections.master_deleted(request.master_key) from error
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _converted_before(
    services: IngestServices, key: str
) -> tuple[ObjectInfo, Structure, list[list[int]]] | None:
    try:
        info = services.access_masters.head(key)
    except ObjectMissing:
        return None
    sources = RangedSources(RangedFile(services.access_masters, key, info.size, info.version))
    try:
        return info, read_structure(sources), json.loads(info.metadata["samples"])
    except (pyvips.Error, KeyError, ValueError):
        sources.raise_failure()
        return None


def _store(
    services: IngestServices, key: str, converted: Converted, checksum: str, request: IngestMaster
) -> ObjectInfo:
    metadata = {
        "recipe": services.recipe.label,
        "master-checksum": checksum,
        "master-version": request.master_version,
        "samples": json.dumps(converted.samples, separators=(",", ":")),
    }
    return services.access_masters.upload(
        converted.path, key, content_type=CONTENT_TYPE, metadata=metadata
    )


def _result(
    request: HeaderRead,
    version: str,
    info: ObjectInfo,
    structure: Structure,
    samples: list[list[int]],
) -> MasterConverted:
    width, height = structure.levels[0]
    return MasterConverted(
        **asdict(request) | {"width": width, "height": height},
        version=version,
        access_master_key=info.key,
        access_master_bytes=info.size,
        tile_width=structure.tile_width,
        tile_height=structure.tile_height,
        levels=[list(level) for level in structure.levels],
        samples=samples,
    )
