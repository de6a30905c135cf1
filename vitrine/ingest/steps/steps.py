"""ReadHeader, ConvertMaster and VerifyAccessMaster: each takes the result of the one before."""

import hashlib
import tempfile
from dataclasses import asdict
from pathlib import Path

from vitrine.errors import ObjectMissing
from vitrine.ingest import rejections
from vitrine.ingest.convert.access_master import CONTENT_TYPE, OpenOutput, Structure, read_structure
from vitrine.ingest.convert.conversion import Converted, convert, sample
from vitrine.ingest.convert.pyramid.pyramid_output import StoreOutput
from vitrine.ingest.convert.verification import verify
from vitrine.ingest.inspect.header import check_size, read_header
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.inspect.size_class import size_class
from vitrine.ingest.messages import HeaderRead, IngestMaster, MasterConverted
from vitrine.ingest.notes import told
from vitrine.ingest.repair.superseded import is_superseded
from vitrine.ingest.services import IngestServices
from vitrine.ports import ObjectInfo
from vitrine.records import Live
from vitrine.store.layout import access_master_key, image_version
from vitrine.store.ranged import RangedFile, whole_ranges
from vitrine.store.tiff.entry import MalformedTiff


def read_master_header(services: IngestServices, request: IngestMaster) -> HeaderRead:
    """Validate the master by a few ranged reads. Raises MasterRejected, TransientError."""
    check_size(request.master_bytes, services.limits)
    refuse_taken_identifier(services, request)
    master = RangedFile(
        services.masters, request.master_key, request.master_bytes, request.master_version
    )
    try:
        file_format = detect_format(master.read_at(0, PREFIX_BYTES))
        header = read_header(master, file_format, services.limits)
    except ObjectMissing as error:
        raise rejections.master_deleted(request.master_key) from error
    return HeaderRead(
        **asdict(request),
        format=header.format,
        width=header.width,
        height=header.height,
        size_class=size_class(header.needs, services.limits),
        notes=told(note.sentence for note in header.notes),
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
        with LocalFile(master) as file:
            header = read_header(file, request.format, services.limits)
        done = _converted_before(services, key)
        if done:
            return _result(
                request, version, *done, sample(master, header, services.recipe, scratch)
            )
        output = _output(services, key, checksum, request)
        converted = convert(master, header, services.recipe, scratch, output)
        info = services.access_masters.head(key)
        return _result(request, version, info, _structure(services, info), converted)


def verify_access_master(services: IngestServices, request: MasterConverted) -> MasterConverted:
    """Reopen what lies in the store. Raises MasterRejected with code conversion-differs."""
    store = services.access_masters
    verify(RangedFile(store, request.access_master_key, request.access_master_bytes), request)
    return request


def _fetch(services: IngestServices, request: IngestMaster, path: Path) -> str:
    """Download the master; its SHA-256."""
    try:
        services.masters.download(request.master_key, path, request.master_version)
    except ObjectMissing as error:
        raise rejections.master_deleted(request.master_key) from error
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _converted_before(services: IngestServices, key: str) -> tuple[ObjectInfo, Structure] | None:
    """Not one that is about to expire: it might be gone before it is published."""
    try:
        info = services.access_masters.head(key)
        if is_superseded(services, key):
            return None
        return info, _structure(services, info)
    except (ObjectMissing, MalformedTiff):
        return None


def _structure(services: IngestServices, info: ObjectInfo) -> Structure:
    file = RangedFile(services.access_masters, info.key, info.size, info.version)
    return read_structure(whole_ranges(file), file.size)


def _output(services: IngestServices, key: str, checksum: str, request: IngestMaster) -> OpenOutput:
    """Straight into the store; the gateway opens the file by the length of its head."""

    def open_output(head_bytes: int) -> StoreOutput:
        metadata = {
            "recipe": services.recipe.label,
            "master-checksum": checksum,
            "master-version": request.master_version,
            "head-bytes": str(head_bytes),
        }
        store = services.access_masters
        return StoreOutput(store, key, content_type=CONTENT_TYPE, metadata=metadata)

    return open_output


def _result(
    request: HeaderRead,
    version: str,
    info: ObjectInfo,
    structure: Structure,
    converted: Converted,
) -> MasterConverted:
    width, height = structure.levels[0]
    notes = told([*request.notes, *converted.losses])
    return MasterConverted(
        **asdict(request) | {"width": width, "height": height, "notes": notes},
        version=version,
        access_master_key=info.key,
        access_master_bytes=info.size,
        tile_width=structure.tile_width,
        tile_height=structure.tile_height,
        levels=[list(level) for level in structure.levels],
        samples=converted.samples,
        metadata_digest=structure.metadata_digest,
    )
