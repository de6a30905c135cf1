"""ConvertMaster: put an access master into the store. IngestMaster -> MasterConverted."""

import hashlib
import tempfile
from dataclasses import asdict
from pathlib import Path

from vitrine.errors import ObjectMissing
from vitrine.ingest import rejections
from vitrine.ingest.convert.access_master import (
    CONTENT_TYPE,
    OpenOutput,
    PyramidStructure,
    read_structure,
)
from vitrine.ingest.convert.conversion import Converted, convert, sample
from vitrine.ingest.convert.pyramid.pyramid_output import StoreOutput
from vitrine.ingest.inspect.curator_notes import shorten_notes
from vitrine.ingest.inspect.header import Header, read_header
from vitrine.ingest.inspect.master_bytes import LocalFile
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.messages import IngestMaster, MasterConverted
from vitrine.ingest.publish.superseded import is_superseded
from vitrine.ingest.services import IngestServices
from vitrine.ports import ObjectInfo
from vitrine.store.layout import access_master_key, image_version
from vitrine.store.ranged import RangedFile, whole_ranges
from vitrine.store.tiff.entry import MalformedTiff


def convert_master(services: IngestServices, request: IngestMaster) -> MasterConverted:
    """Put an access master into the store, unless the same conversion was done before.

    Raises MasterRejected, TransientError, OSError if the scratch disk is too small.
    """
    with tempfile.TemporaryDirectory(prefix="vitrine-") as directory:
        scratch = Path(directory)
        master = scratch / "master"
        checksum = _fetch_master(services, request, master)
        version = image_version(checksum, services.recipe.label)
        key = access_master_key(request.identifier, version)
        with LocalFile(master) as file:
            file_format = detect_format(file.read_at(0, PREFIX_BYTES))
            header = read_header(file, file_format, services.limits)
        previous = _find_conversion(services, key)
        if previous:
            converted = sample(master, header, services.recipe, scratch)
            return _make_result(request, version, *previous, header, converted)
        output = _open_output(services, key, checksum, request)
        converted = convert(master, header, services.recipe, scratch, output)
        info = services.access_masters.head(key)
        structure = _read_structure(services, info)
        return _make_result(request, version, info, structure, header, converted)


def _fetch_master(services: IngestServices, request: IngestMaster, path: Path) -> str:
    """Download the master and return its SHA-256, hex."""
    try:
        services.masters.download(request.master_key, path, request.master_version)
    except ObjectMissing as error:
        raise rejections.master_deleted(request.master_key) from error
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _find_conversion(
    services: IngestServices, key: str
) -> tuple[ObjectInfo, PyramidStructure] | None:
    """Return an access master that was converted before.

    One that will expire does not count: it might be gone before it is published.
    """
    try:
        info = services.access_masters.head(key)
        if is_superseded(services, key):
            return None
        return info, _read_structure(services, info)
    except (ObjectMissing, MalformedTiff):
        return None


def _read_structure(services: IngestServices, info: ObjectInfo) -> PyramidStructure:
    file = RangedFile(services.access_masters, info.key, info.size, info.version)
    return read_structure(whole_ranges(file), file.size)


def _open_output(
    services: IngestServices, key: str, checksum: str, request: IngestMaster
) -> OpenOutput:
    """Return an output straight into the store.

    The gateway opens the file by the length of its head, which the metadata keep.
    """

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


def _make_result(
    request: IngestMaster,
    version: str,
    info: ObjectInfo,
    structure: PyramidStructure,
    header: Header,
    converted: Converted,
) -> MasterConverted:
    width, height = structure.levels[0]
    return MasterConverted(
        **asdict(request),
        version=version,
        access_master_key=info.key,
        access_master_bytes=info.size,
        width=width,
        height=height,
        tile_width=structure.tile_width,
        tile_height=structure.tile_height,
        levels=[list(level) for level in structure.levels],
        samples=converted.samples,
        metadata_digest=structure.metadata_digest,
        notes=shorten_notes([*(note.sentence for note in header.notes), *converted.losses]),
    )
