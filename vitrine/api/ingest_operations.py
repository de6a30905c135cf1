"""Masters: where to upload them, and how far each is."""

import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import UNSET

from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.problems import Problem
from vitrine.api.relative import ingest_location
from vitrine.api.resources import (
    Ingest,
    IngestList,
    IngestQuery,
    StartIngest,
    Upload,
    UploadAddress,
)
from vitrine.api.services import Services
from vitrine.api.uploads_in_parts import UPLOAD_SECONDS, resume_upload, start_upload
from vitrine.errors import ObjectMissing, PreconditionFailed
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.owners import note_owner
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST
from vitrine.ingest.progress import ingest_progress
from vitrine.ingest.rejection_advice import advice_about
from vitrine.ingest.start.start_ingest import IDENTIFIER_METADATA, REPLACES_METADATA
from vitrine.ports import ObjectInfo
from vitrine.records import Outcome
from vitrine.store.clock import rfc3339
from vitrine.store.layout import master_key

MAX_KEY_BYTES = 1_024
"""Bytes of a key, S3's limit."""
MAX_COPIED_BYTES = 1 << 30
"""Bytes of a master that is copied onto itself within a request: the gateway waits for 30 s."""
MAX_PUT_BYTES = 5 << 30
"""Bytes of a file that comes in one request, S3's limit."""
REPEATED_SECONDS = UPLOAD_SECONDS / 2
"""Seconds for which a repeated request gets the same address: half an hour is left to upload."""


def get_ingest(call: Call) -> OperationResult:
    """Return how far a master is."""
    return OperationResult(content=ingest_of(call.services, parse_key(call.name)))


def start_ingest(call: Call) -> OperationResult:
    """Return where to upload a master, or ingest one that is there once more."""
    body: StartIngest = call.body
    key = parse_key(body.key)
    collection = call.services.rights.check_master(key)
    metadata = _master_metadata(call.services, key, body)
    if collection:
        note_owner(call.services.publisher.records, collection)
    if body.upload and (content := _await_upload(call.services, key, body.upload, metadata)):
        return OperationResult(
            content=content,
            status=201,
            location=ingest_location(key),
            good_seconds=REPEATED_SECONDS,
        )
    if not body.upload:
        _ingest_again(call.services, key, metadata)
    content = ingest_of(call.services, key)
    return OperationResult(content=content, status=202, location=ingest_location(key))


def list_ingests(call: Call) -> OperationResult:
    """List the masters of a state."""
    query: IngestQuery = call.query
    state = "running" if query.state == "unfinished" else query.state
    found = call.services.outcomes.by_state(state, query.limit)
    ingests = (_describe_ingest(call.services, one.master_key, query.state, one) for one in found)
    return OperationResult(content=IngestList(ingests=tuple(ingests)))


def ingest_of(services: Services, key: str) -> Ingest:
    """Return how far the newest version of a master is."""
    outcome, master = services.outcomes.get(key), find_master(services, key)
    if master is None and outcome is None:
        return Ingest(key=key, state="awaiting-upload")
    state: Any = "unfinished"
    if master is not None:
        state = ingest_progress(outcome, master)
    elif outcome and outcome.state != "running":
        state = outcome.state
    return _describe_ingest(services, key, state, outcome)


def find_master(services: Services, key: str) -> ObjectInfo | None:
    """Return the newest version of a master; None if it is not there."""
    try:
        return services.masters.head(key)
    except ObjectMissing:
        return None


def check_copied_size(services: Services, key: str) -> None:
    """Raise Problem if a master is too large to be copied while somebody waits."""
    master = find_master(services, key)
    if master and master.size > MAX_COPIED_BYTES:
        raise Problem("master-too-large", f'The master "{key}" is larger than 1 GiB.')


def parse_key(text: str) -> str:
    """Return a master's key as it is stored. Raises Problem."""
    key = master_key(text)
    bad_segments = {"", ".", ".."} & set(key.split("/"))
    is_long = len(key.encode(errors="surrogatepass")) > MAX_KEY_BYTES
    if bad_segments or is_long or any(unicodedata.category(one)[0] == "C" for one in key):
        raise Problem("key-invalid")
    return key


def _master_metadata(services: Services, key: str, body: StartIngest) -> dict[str, str]:
    if body.identifier is None:
        if body.replace_withdrawn or body.replace_redirect:
            raise Problem("body-invalid", "What replaces something names its `identifier`.")
        return {}
    identifier = parse_identifier(body.identifier)
    services.rights.check(identifier, services.register.table.get(identifier))
    permission = services.curation.permit_upload(
        key,
        identifier,
        replace_withdrawn=body.replace_withdrawn,
        replace_redirect=body.replace_redirect,
    )
    return permission | {IDENTIFIER_METADATA: identifier}


def _await_upload(
    services: Services, key: str, upload: Upload, metadata: dict[str, str]
) -> Ingest | None:
    """Return where to send a master, or what is missing of it; None once all of it is there."""
    if upload.bytes > services.most_master_bytes:
        most = f"{services.most_master_bytes >> 20:,} MiB"
        raise Problem("master-too-large", f"A master has at most {most} here.")
    if upload.parts:
        parts = resume_upload(services.uploads, key, upload.parts, upload.bytes)
        if not parts.missing:
            return None
    elif upload.in_parts:
        parts = start_upload(services.uploads, key, upload.bytes, upload.content_type, metadata)
    elif upload.bytes > MAX_PUT_BYTES:
        raise Problem("master-too-large", "Above 5 GiB, a master is sent with `in_parts`.")
    else:
        address = _upload_address(services, key, upload, metadata)
        return Ingest(key=key, state="awaiting-upload", upload=address)
    return Ingest(key=key, state="awaiting-upload", parts=parts)


def _upload_address(
    services: Services, key: str, upload: Upload, metadata: dict[str, str]
) -> UploadAddress:
    expires = datetime.now(UTC) + timedelta(seconds=UPLOAD_SECONDS)
    address, headers = services.uploads.upload_address(
        key,
        size=upload.bytes,
        content_type=upload.content_type,
        metadata=metadata,
        seconds=UPLOAD_SECONDS,
    )
    return UploadAddress(address=address, headers=headers, expires_at=rfc3339(expires))


def _ingest_again(services: Services, key: str, metadata: dict[str, str]) -> None:
    """Copy a master onto itself, which is an upload to the pipeline."""
    check_copied_size(services, key)
    try:
        master = services.masters.head(key)
        kept = dict(master.metadata)
        kept.pop(REPLACES_METADATA, None)
        services.masters.copy_in_place(key, kept | metadata, if_etag=master.etag)
    except ObjectMissing:
        raise Problem("master-missing") from None
    except PreconditionFailed:
        raise Problem("master-replaced") from None


def _describe_ingest(services: Services, key: str, state: Any, outcome: Outcome | None) -> Ingest:
    if outcome is None or state in ("unfinished", "superseded"):
        return Ingest(key=key, state=state)
    info = image_path(NEWEST, outcome.identifier) + "/info.json"
    return Ingest(
        key=key,
        state=state,
        identifier=outcome.identifier,
        code=outcome.code or UNSET,
        sentence=outcome.sentence or UNSET,
        advice=advice_about(outcome.code) or UNSET,
        notes=outcome.notes,
        changed_at=outcome.changed_at,
        info=services.edge_url + info if state == "published" else UNSET,
    )


OPERATIONS = (
    Operation(
        name="startIngest",
        method="POST",
        path="/ingests",
        summary="Ask where to upload a master, or ingest one that is there once more.",
        act=start_ingest,
        body=StartIngest,
        example={
            "key": "night-watch.tif",
            "identifier": "SK-C-5",
            "upload": {"bytes": 1_048_576, "content_type": "image/tiff"},
        },
        answers={201: Ingest, 202: Ingest},
        problems=(
            *("key-invalid", "master-missing", "master-replaced", "master-too-large"),
            *("identifier-invalid", "upload-missing"),
        ),
    ),
    Operation(
        name="listIngests",
        method="GET",
        path="/ingests",
        summary="List the masters of one state, such as those that were rejected, and why.",
        act=list_ingests,
        query=IngestQuery,
        answers={200: IngestList},
    ),
    Operation(
        name="getIngest",
        method="GET",
        path="/ingests/{key}",
        summary="Read how far a master is.",
        act=get_ingest,
        answers={200: Ingest},
        problems=("key-invalid",),
    ),
)
