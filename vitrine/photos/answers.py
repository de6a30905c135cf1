"""What the door answers: JSON and thumbnails in one body, or JSON with short-lived addresses."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

import msgspec

from vitrine.api.http import JSON, ApiResponse, json_response
from vitrine.api.problems import Problem
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST
from vitrine.photos.metadata import MetadataFields
from vitrine.photos.photograph import Photograph
from vitrine.photos.picture import Rendered, upright_size
from vitrine.photos.services import PhotoServices
from vitrine.store.clock import rfc3339
from vitrine.store.layout import thumbnail_key

ADDRESS_SECONDS = 3_600
"""Seconds for which the address of a thumbnail is good."""
JPEG = "image/jpeg"
_ADDRESSED = (JSON, "text/html")
"""Media types for which an answer has addresses: programs that want JSON, and forms of pages."""


@dataclass(frozen=True, kw_only=True)
class StoredPhoto:
    """The master that a photograph became."""

    key: str
    identifier: str
    created: bool
    """False: it was there already."""


@dataclass(frozen=True, kw_only=True)
class PhotographResult:
    """What became of a photograph."""

    photograph: Photograph
    fields: MetadataFields
    thumbnails: Sequence[Rendered]
    clean: bool
    stored: StoredPhoto | None


def respond(
    services: PhotoServices, result: PhotographResult, headers: Mapping[str, str]
) -> ApiResponse:
    """Return the answer in the form that a request's headers ask for. Raises TransientError."""
    status = 201 if result.stored and result.stored.created else 200
    base = services.edge_url or headers.get("x-public-base") or f"https://{headers.get('host', '')}"
    document = _document(base, result)
    if _wants_addresses(headers):
        document["thumbnails"] = _store_thumbnails(services, result)
        return json_response(status, document)
    document["thumbnails"] = [
        {**_size(one), "part": number} for number, one in enumerate(result.thumbnails, start=2)
    ]
    return _mixed(status, document, result.thumbnails)


def check_answer(
    services: PhotoServices,
    thumbnails: Sequence[Rendered],
    fields: MetadataFields,
    headers: Mapping[str, str],
) -> None:
    """Raise Problem, with the code photo-answer-too-large, if no answer can hold all that."""
    most = services.most_answer_bytes
    if most is None:
        return
    size = len(json_response(200, asdict(fields)).body)
    if not _wants_addresses(headers):
        size += sum(len(one.data) for one in thumbnails)
    if size > most:
        detail = f"It would have {size:,} bytes; {most:,} fit into an answer."
        raise Problem("photo-answer-too-large", detail)


def _wants_addresses(headers: Mapping[str, str]) -> bool:
    accept = headers.get("accept", "").lower()
    return any(media_type in accept for media_type in _ADDRESSED)


def _document(base: str, result: PhotographResult) -> dict[str, Any]:
    photograph, header = result.photograph, result.photograph.header
    width, height = upright_size(header)
    document = {
        "sha256": photograph.checksum,
        "bytes": photograph.file.size,
        "media_type": photograph.media_type,
        "width": width,
        "height": height,
        "orientation": header.orientation,
        "colour": {"model": header.colour, "bits": header.bits, "profile": header.profile},
        "notes": [note.sentence for note in header.notes],
        "exif": result.fields.exif,
        "xmp": result.fields.xmp,
        "iptc": result.fields.iptc,
    }
    if result.stored:
        image = image_path(NEWEST, result.stored.identifier)
        document["image"] = {
            "identifier": result.stored.identifier,
            "address": base + image,
            "info": f"{base}{image}/info.json",
            "ingest": f"/ingests/{quote(result.stored.key, safe='')}",
        }
    return document


def _size(thumbnail: Rendered) -> dict[str, Any]:
    return {
        "name": thumbnail.name,
        "width": thumbnail.width,
        "height": thumbnail.height,
        "bytes": len(thumbnail.data),
        "media_type": JPEG,
    }


def _store_thumbnails(services: PhotoServices, result: PhotographResult) -> list[dict[str, Any]]:
    """Store each where it expires, and return the addresses."""
    expires = rfc3339(datetime.now(UTC) + timedelta(seconds=ADDRESS_SECONDS))
    addressed = []
    for one in result.thumbnails:
        name = one.name if result.clean else f"{one.name}-as-taken"
        key = thumbnail_key(result.photograph.checksum, name)
        services.records.put(key, one.data, content_type=JPEG, cache_control="no-store")
        address = services.addresses.download_address(key, seconds=ADDRESS_SECONDS)
        addressed.append({**_size(one), "address": address, "expires_at": expires})
    return addressed


def _mixed(status: int, document: dict[str, Any], thumbnails: Sequence[Rendered]) -> ApiResponse:
    """Return multipart/mixed (RFC 2046, 5.1.3): the JSON, then each thumbnail."""
    boundary = secrets.token_hex(16)
    parts = [_part(boundary, f"Content-Type: {JSON}", msgspec.json.encode(document))]
    for one in thumbnails:
        head = f'Content-Type: {JPEG}\r\nContent-Disposition: inline; filename="{one.name}.jpg"'
        parts.append(_part(boundary, head, one.data))
    headers = {
        "content-type": f"multipart/mixed; boundary={boundary}",
        "cache-control": "no-store",
    }
    body = b"".join([*parts, f"--{boundary}--\r\n".encode()])
    return ApiResponse(status=status, headers=headers, body=body)


def _part(boundary: str, head: str, body: bytes) -> bytes:
    lines = f"--{boundary}\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n"
    return lines.encode() + body + b"\r\n"
