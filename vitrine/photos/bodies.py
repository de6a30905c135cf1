"""The body of a request: raw bytes of a photograph, a form of a page, or where it was uploaded."""

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import IO
from urllib.parse import parse_qsl

import msgspec
from multipart import (
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from vitrine.api.http import JSON, Request
from vitrine.api.problems import Problem
from vitrine.photos.photo_bytes import PhotoData

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

    data: PhotoData = b""
    media_type: str = ""
    """What its sender says that it is; "" if nothing."""
    fields: Mapping[str, str] = field(default_factory=dict)

    def flag(self, name: str) -> bool:
        """Return a field that is yes unless it says no. Raises Problem."""
        text = self.fields.get(name, "yes").strip().lower()
        if text not in _YES | _NO:
            raise Problem("query-invalid", f"`{name}` is yes or no.")
        return text in _YES


def read_submission(request: Request, body: PhotoData) -> Submission:
    """Read the query and a whole body; a field of the body counts more. Raises Problem."""
    if is_form(request):
        photo = io.BytesIO()
        fields, sent = read_form(request, [bytes(body)], photo)
        return Submission(data=photo.getvalue(), media_type=sent, fields=fields)
    fields = _query_fields(request.query)
    media_type, _ = _content_type(request)
    if media_type == JSON:
        return Submission(fields={**fields, **_json_fields(body)})
    return Submission(data=body, media_type=_known(media_type), fields=fields)


def is_form(request: Request) -> bool:
    """Tell if the body is a form of a page."""
    return _content_type(request)[0] == FORM


def _content_type(request: Request) -> tuple[str, Mapping[str, str]]:
    media_type, options = parse_options_header(request.headers.get("content-type", ""))
    return media_type.strip().lower(), options


def _known(media_type: str) -> str:
    return "" if media_type in OPAQUE else media_type


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


def _json_fields(body: PhotoData) -> dict[str, str]:
    try:
        fields = msgspec.json.decode(body[:_MOST_FIELD_BYTES], type=dict[str, str])
    except msgspec.MsgspecError as error:
        raise Problem("photo-body-invalid", f"{error}.") from None
    if not fields.keys() <= set(FIELDS):
        raise Problem("photo-body-invalid", f"The fields are {', '.join(FIELDS)}.")
    return fields


def read_form(
    request: Request, parts: Iterable[bytes], photo: IO[bytes]
) -> tuple[dict[str, str], str]:
    """Read multipart/form-data (RFC 7578) strictly, part by part; the photograph goes to a file.

    Returns the fields, those of the query too, and the photograph's media type; "" if its sender
    says none. Raises Problem.
    """
    boundary = _content_type(request)[1].get("boundary", "")
    if not boundary:
        raise Problem("photo-body-invalid", "Content-Type has no boundary.")
    form = _Form(photo, _query_fields(request.query))
    try:
        parser = PushMultipartParser(boundary, strict=True, max_segment_count=_MOST_PARTS)
        with parser:
            for part in filter(None, parts):
                for event in parser.parse(part):
                    form.take(event)
    except MultipartError as error:
        raise Problem("photo-body-invalid", f"{error}.") from None
    return form.fields, form.media_type


class _Form:
    """The fields of a form as they come."""

    def __init__(self, photo: IO[bytes], fields: dict[str, str]) -> None:
        self.fields = fields
        self.media_type = ""
        self._photo = photo
        self._part: MultipartSegment | None = None
        self._text = b""
        self._has_photo = False

    def take(self, event: MultipartSegment | bytes | None) -> None:
        """Take the head of a part, bytes of it, or its end."""
        if isinstance(event, MultipartSegment):
            self._begin(event)
        elif self._part is None:
            self._photo.write(event or b"")
        elif event is None:
            self.fields[self._part.name or ""] = _text(self._part, self._text)
        elif len(self._text) + len(event) > _MOST_FIELD_BYTES:
            raise Problem("photo-body-invalid", f"The field {self._part.name} is too long.")
        else:
            self._text += event

    def _begin(self, part: MultipartSegment) -> None:
        if part.filename is None and part.name in FIELDS:
            self._part, self._text = part, b""
        elif part.filename is not None and not self._has_photo:
            self._part, self._has_photo = None, True
            self.media_type = _known((part.content_type or "").partition(";")[0].strip().lower())
        else:
            raise Problem("photo-body-invalid", f"The part {part.name!r:.60} is too many.")


def _text(part: MultipartSegment, data: bytes) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise Problem("photo-body-invalid", f"The field {part.name} is not UTF-8.") from None
