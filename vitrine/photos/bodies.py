"""The body of a request: raw bytes of a photograph, a form of a page, or where it was uploaded."""

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

import msgspec
from multipart import MultipartError, MultipartParser, MultipartPart, parse_options_header

from vitrine.api.http import JSON, Request
from vitrine.api.problems import Problem

FORM = "multipart/form-data"
OPAQUE = frozenset({"", "application/octet-stream", "application/x-www-form-urlencoded"})
"""Media types that say nothing about the bytes; curl sends the last where nobody names one."""
FIELDS = ("token", "thumbnails", "clean", "store", "upload")
_MOST_PARTS = len(FIELDS) + 1
_MOST_FIELD_BYTES = 8_192
_YES, _NO = frozenset({"yes", "true", "1", "on"}), frozenset({"no", "false", "0", "off", ""})


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A photograph and what is requested of it."""

    data: bytes = b""
    media_type: str = ""
    """What its sender says that it is; "" if nothing."""
    fields: Mapping[str, str] = field(default_factory=dict)

    def flag(self, name: str) -> bool:
        """Return a field that is yes unless it says no. Raises Problem."""
        text = self.fields.get(name, "yes").strip().lower()
        if text not in _YES | _NO:
            raise Problem("query-invalid", f"`{name}` is yes or no.")
        return text in _YES


def read_submission(request: Request) -> Submission:
    """Read the query and the body; a field of the body counts more. Raises Problem."""
    fields = _query_fields(request.query)
    header = request.headers.get("content-type", "")
    media_type, options = parse_options_header(header)
    media_type = media_type.strip().lower()
    if media_type == FORM:
        return _read_form(request.body, options.get("boundary", ""), fields)
    if media_type == JSON:
        return Submission(fields={**fields, **_json_fields(request.body)})
    return Submission(
        data=request.body, media_type="" if media_type in OPAQUE else media_type, fields=fields
    )


def _query_fields(query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            query,
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
            max_num_fields=len(FIELDS),
        )
    except ValueError as error:
        raise Problem("query-invalid", f"{error}.") from None
    fields = dict(pairs)
    if len(fields) != len(pairs) or not fields.keys() <= set(FIELDS) - {"token", "upload"}:
        raise Problem("query-invalid", "It has `thumbnails`, `clean` and `store`, once each.")
    return fields


def _json_fields(body: bytes) -> dict[str, str]:
    try:
        fields = msgspec.json.decode(body[:_MOST_FIELD_BYTES], type=dict[str, str])
    except msgspec.MsgspecError as error:
        raise Problem("photo-body-invalid", f"{error}.") from None
    if not fields.keys() <= set(FIELDS):
        raise Problem("photo-body-invalid", f"The fields are {', '.join(FIELDS)}.")
    return fields


def _read_form(body: bytes, boundary: str, fields: dict[str, str]) -> Submission:
    """Read multipart/form-data (RFC 7578) strictly; all of it is in memory already."""
    if not boundary:
        raise Problem("photo-body-invalid", "Content-Type has no boundary.")
    photo: MultipartPart | None = None
    try:
        parser = MultipartParser(
            io.BytesIO(body),
            boundary,
            content_length=len(body),
            strict=True,
            part_limit=_MOST_PARTS,
            spool_limit=len(body) + 1,
            memory_limit=len(body) + 1,
        )
        for part in parser:
            if part.filename is None and part.name in FIELDS:
                fields[part.name] = _text(part)
            elif part.filename is not None and photo is None:
                photo = part
            else:
                raise Problem("photo-body-invalid", f"The part {part.name!r:.60} is too many.")
    except MultipartError as error:
        raise Problem("photo-body-invalid", f"{error}.") from None
    if photo is None:
        return Submission(fields=fields)
    sent = photo.content_type.partition(";")[0].strip().lower()
    return Submission(data=photo.raw, media_type="" if sent in OPAQUE else sent, fields=fields)


def _text(part: MultipartPart) -> str:
    if part.size > _MOST_FIELD_BYTES:
        raise Problem("photo-body-invalid", f"The field {part.name} is too long.")
    try:
        return str(part.raw, "utf-8")
    except UnicodeDecodeError:
        raise Problem("photo-body-invalid", f"The field {part.name} is not UTF-8.") from None
