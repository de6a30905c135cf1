"""Start the ingest of one master: the event is a hint, the store is the truth."""

from enum import StrEnum

from vitrine.errors import MasterRejected, ObjectMissing
from vitrine.identify.identifier import normalise_identifier
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record import record_outcome, record_rejection
from vitrine.ingest.services import IngestServices
from vitrine.ports import ObjectInfo
from vitrine.store.layout import execution_name, key_stem

IDENTIFIER_METADATA = "identifier"
"""Object metadata with which a curator gives a master its identifier."""


class Started(StrEnum):
    """What the starter did."""

    STARTED = "started"
    KNOWN = "known"
    """This version of the master is being ingested, or was."""
    MISSING = "missing"
    """Nothing lies under the key any more."""
    FOLDER = "folder"
    REJECTED = "rejected"


def start_ingest(services: IngestServices, master_key: str) -> Started:
    """Converge on what the store holds for `master_key` now. Raises TransientError."""
    try:
        info = services.masters.head(master_key)
    except ObjectMissing:
        return Started.MISSING
    if master_key.endswith("/") and info.size == 0:
        return Started.FOLDER
    text = info.metadata.get(IDENTIFIER_METADATA) or key_stem(master_key)
    try:
        request = _request(info, normalise_identifier(text))
    except MasterRejected as error:
        record_rejection(services, _request(info, text), error.rejection)
        return Started.REJECTED
    # First the outcome, then the start: an execution may end before we come to write.
    record_outcome(services, request, "running")
    name = execution_name(request.master_key, request.master_version)
    if services.pipeline.start(name, request.as_json()):
        return Started.STARTED
    return Started.KNOWN


def _request(info: ObjectInfo, identifier: str) -> IngestMaster:
    return IngestMaster(
        master_key=info.key,
        master_version=info.version,
        master_etag=info.etag,
        master_bytes=info.size,
        master_modified=info.modified,
        identifier=identifier,
    )
