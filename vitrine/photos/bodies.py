"""The body of a request: raw bytes of a photograph, a form of a page, or where it was uploaded."""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import IO, Any
from urllib.parse import parse_qsl

from multipart import (
    MultipartError,
    MultipartSegment,
    PushMultipartParser,
    parse_options_header,
)

from vitrine.api.http import JSON, ApiRequest
from vitrine.api.photo_forms import Form
from vitrine.api.problems import Problem
from vitrine.photos.permission import bearer_token
from vitrine.photos.photo_bytes import PhotoData

FORM = "multipart/form-data"
OPAQUE = frozenset({"", "application/octet-stream", "application/x-www-form-urlencoded"})
"""Media types that say nothing about the bytes; curl sends the last where nobody names one."""
FIELDS = ("token", "thumbnails", "clean", "store", "upload")
_MAX_PARTS = len(FIELDS) + 1
_MAX_FIELD_BYTES = 8_192
_YES, _NO = frozenset({"yes", "true", "1", "on"}), frozenset({"no", "false", "0", "off", ""})
Permit = Callable[[Mapping[str, str]], Form]
"""Returns the form that a token in the head, or among these fields, stands for. Raises Problem."""


@dataclass(frozen=True, kw_only=True)
class Submission:
    """A photograph, what is requested of it, and the form that allows it."""

    form: Form
    data: PhotoData = b""
    media_type: str = ""
    """Media type that its sender states; "" if none."""
    fields: Mapping[str, str] = field(default_factory=dict)

    def flag(self, name: str) -> bool:
        """Return a field that is yes unless it says no. Raises Problem."""
        text = self.fields.get(name, "yes").strip().lower()
        if text not in _YES | _NO:
            raise Problem("query-invalid", f"`{name}` is yes or no.")
        return text in _YES


def read_submission(request: ApiRequest, body: bytes, permit: Permit) -> Submission:
    """Read the query and a whole body; a field of the body counts more. Raises Problem."""
    if is_photograph(request):
        return replace(receive_body(request, [], io.BytesIO(), permit), data=body)
    photo = io.BytesIO()
    return replace(receive_body(request, [body], photo, permit), data=photo.getvalue())


def receive_body(
    request: ApiRequest, parts: Iterable[bytes], photo: IO[bytes], permit: Permit
) -> Submission:
    """Read the query and a body as it comes; the photograph goes to a file.

    Nothing of a photograph is read before `permit` has returned. Raises Problem.
    """
    if is_photograph(request) or bearer_token(request):
        form = permit({})
        return _receive(request, parts, photo, lambda _: form)
    return _receive(request, parts, photo, permit)


def _receive(
    request: ApiRequest, parts: Iterable[bytes], photo: IO[bytes], permit: Permit
) -> Submission:
    fields = _query_fields(request.query)
    if is_form(request):
        return _receive_form(request, parts, _PageForm(photo, fields, permit))
    if is_photograph(request):
        form = permit(fields)
        photo.writelines(parts)
        media_type, _ = _content_type(request)
        return Submission(form=form, media_type=_known(media_type), fields=fields)
    fields |= _json_fields(parts)
    return Submission(form=permit(fields), fields=fields)


def is_json(request: ApiRequest) -> bool:
    """Tell if the body says where the photograph was uploaded."""
    return _content_type(request)[0] == JSON


def is_photograph(request: ApiRequest) -> bool:
    """Tell if the body is a photograph and nothing else."""
    return _content_type(request)[0] not in (FORM, JSON)


def is_form(request: ApiRequest) -> bool:
    """Tell if the body is a form of a page."""
    return _content_type(request)[0] == FORM


def _content_type(request: ApiRequest) -> tuple[str, Mapping[str, str]]:
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


def _json_fields(parts: Iterable[bytes]) -> dict[str, str]:
    body = b""
    for part in parts:
        body += part
        if len(body) > _MAX_FIELD_BYTES:
            raise Problem("photo-body-invalid", "A JSON object with its fields is shorter.")
    try:
        fields = json.loads(body, object_pairs_hook=_unique_fields)
    except (ValueError, RecursionError) as error:
        raise Problem("photo-body-invalid", f"{error}.") from None
    texts = isinstance(fields, dict) and all(isinstance(one, str) for one in fields.values())
    if not texts or not fields.keys() <= set(FIELDS):
        raise Problem("photo-body-invalid", f"It is an object with texts: {', '.join(FIELDS)}.")
    return dict(fields)


def _unique_fields(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        _add_field(fields, name, value)
    return fields


def _add_field(fields: dict[str, Any], name: str, value: Any) -> None:
    if name in fields:
        raise Problem("photo-body-invalid", f"The field {name!r:.60} comes twice.")
    fields[name] = value


def _receive_form(request: ApiRequest, parts: Iterable[bytes], form: "_PageForm") -> Submission:
    """Read multipart/form-data (RFC 7578) strictly, part by part. Raises Problem."""
    boundary = _content_type(request)[1].get("boundary", "")
    if not boundary:
        raise Problem("photo-body-invalid", "Content-Type has no boundary.")
    try:
        parser = PushMultipartParser(boundary, strict=True, max_segment_count=_MAX_PARTS)
        with parser:
            for part in filter(None, parts):
                for event in parser.parse(part):
                    form.take(event)
    except MultipartError as error:
        raise Problem("photo-body-invalid", f"{error}.") from None
    return form.submission()


class _PageForm:
    """A form of a page as it comes: its fields, then its photograph, as S3 asks for them."""

    def __init__(self, photo: IO[bytes], queried: Mapping[str, str], permit: Permit) -> None:
        self._photo = photo
        self._queried = queried
        self._permit = permit
        self._fields: dict[str, str] = {}
        self._media_type = ""
        self._part: MultipartSegment | None = None
        self._text = b""
        self._form: Form | None = None
        """Set when the photograph begins."""

    def take(self, event: MultipartSegment | bytes | None) -> None:
        """Take the head of a part, bytes of it, or its end."""
        if isinstance(event, MultipartSegment):
            self._begin(event)
        elif self._part is None:
            self._photo.write(event or b"")
        elif event is None:
            _add_field(self._fields, self._part.name or "", _text(self._part, self._text))
        elif len(self._text) + len(event) > _MAX_FIELD_BYTES:
            raise Problem("photo-body-invalid", f"The field {self._part.name} is too long.")
        else:
            self._text += event

    def submission(self) -> Submission:
        """Return what has come. Raises Problem."""
        fields = {**self._queried, **self._fields}
        form = self._form or self._permit(self._fields)
        return Submission(form=form, media_type=self._media_type, fields=fields)

    def _begin(self, part: MultipartSegment) -> None:
        if self._form:
            reason = "comes after the photograph, which is the last"
            raise Problem("photo-body-invalid", f"The part {part.name!r:.60} {reason}.")
        if part.filename is not None:
            self._form, self._part = self._permit(self._fields), None
            self._media_type = _known((part.content_type or "").partition(";")[0].strip().lower())
        elif part.name in FIELDS:
            self._part, self._text = part, b""
        else:
            raise Problem("photo-body-invalid", f"The part {part.name!r:.60} is not known.")


def _text(part: MultipartSegment, data: bytes) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError:
        raise Problem("photo-body-invalid", f"The field {part.name} is not UTF-8.") from None
