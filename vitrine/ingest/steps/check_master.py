"""ConvertMaster begins: validate a master from a few ranged reads, before it is downloaded."""

from vitrine.errors import ConverterTooSmall, MasterRejected, ObjectMissing, Rejection
from vitrine.ingest import rejections
from vitrine.ingest.inspect.estimate import fits_converter
from vitrine.ingest.inspect.header import Header, check_size, read_header
from vitrine.ingest.inspect.master_bytes import BoundedRequests
from vitrine.ingest.inspect.signature import PREFIX_BYTES, detect_format
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.publish.identifier_claim import check_claim
from vitrine.ingest.services import IngestServices
from vitrine.store.ranged import RangedFile


def check_master(services: IngestServices, request: IngestMaster) -> None:
    """Raise MasterRejected unless the master may be converted and may have its identifier.

    Raises ConverterTooSmall if it needs a larger converter, TransientError.
    """
    check_size(request.master_bytes, services.limits)
    try:
        header = _read_header(services, request)
    except MasterRejected as error:
        refused = _find_refusal(services, request)
        raise (_join_reasons(error.rejection, refused.rejection) if refused else error) from error
    check_claim(services, request)
    if not fits_converter(header.needs, services.limits):
        raise ConverterTooSmall(f"{request.master_key} needs {header.needs}")


def _read_header(services: IngestServices, request: IngestMaster) -> Header:
    file = RangedFile(
        services.masters, request.master_key, request.master_bytes, request.master_version
    )
    master = BoundedRequests(file, services.limits.pages)
    try:
        file_format = detect_format(master.read_at(0, PREFIX_BYTES))
        return read_header(master, file_format, services.limits)
    except ObjectMissing as error:
        raise rejections.master_deleted(request.master_key) from error


def _join_reasons(first: Rejection, second: Rejection) -> MasterRejected:
    """Reject for two reasons at once, so that a curator does not meet them one by one."""
    sentence = f"{first.sentence} Besides: {second.sentence}"
    return MasterRejected(Rejection(first.code, sentence, first.value))


def _find_refusal(services: IngestServices, request: IngestMaster) -> MasterRejected | None:
    """Return why the master may not have its identifier, None if it may."""
    try:
        check_claim(services, request)
    except MasterRejected as error:
        return error
    return None
