"""Bodies and queries, strictly: what a schema does not name is refused, and nothing is guessed."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from vitrine.api.http import JSON, ApiRequest
from vitrine.api.problems import Problem

MAX_BYTES = 4 << 20
"""Bytes of a body. Lambda takes 6 MB with all that the gateway adds to it and escapes in it."""
MAX_PARAMETERS = 20
MAX_LEVELS = 64
"""Levels of a document: code that walks through it calls itself for each of them."""


def parse_body(request: ApiRequest, kind: Any) -> Any:
    """Return the body as `kind`. Raises Problem."""
    if len(request.body) > MAX_BYTES:
        raise Problem("body-too-large", f"It has {len(request.body):,} bytes.")
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != JSON or request.headers.get("content-encoding", "identity") != "identity":
        raise Problem("type-unsupported")
    try:
        document = msgspec.json.decode(request.body)
        _check_depth(document)
        parsed = msgspec.convert(document, kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Problem("body-invalid", f"{error}.") from None
    except RecursionError:
        raise _too_deep() from None
    unknown = next(unknown_fields(document, parsed), None)
    if unknown is not None:
        raise Problem("body-invalid", f"There is no field {unknown}.")
    return parsed


def parse_query(request: ApiRequest, kind: Any) -> Any:
    """Return the query as `kind`. Raises Problem."""
    try:
        pairs = parse_qsl(
            request.query,
            keep_blank_values=True,
            strict_parsing=bool(request.query),
            errors="strict",
            max_num_fields=MAX_PARAMETERS,
        )
        values = dict(pairs)
        if len(values) != len(pairs):
            raise Problem("query-invalid", "A parameter comes twice.")
        return msgspec.convert(values, kind, strict=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise Problem("query-invalid", f"{error}.") from None


def unknown_fields(document: Any, parsed: Any, place: str = "$") -> Iterator[str]:
    """Yield the places of fields in a JSON document that the structs parsed from it do not have."""
    match parsed:
        case msgspec.Struct():
            config = parsed.__struct_config__
            known = {*parsed.__struct_encode_fields__, config.tag_field}
            for name in document:
                if name not in known:
                    yield f"{place}.{name}"
                elif name != config.tag_field:
                    inner = getattr(parsed, name)
                    yield from unknown_fields(document[name], inner, f"{place}.{name}")
        case tuple():
            for number, (item, inner) in enumerate(zip(document, parsed, strict=True)):
                yield from unknown_fields(item, inner, f"{place}[{number}]")


def _check_depth(document: Any) -> None:
    level = [document]
    for _ in range(MAX_LEVELS):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> Problem:
    return Problem("body-invalid", f"It is nested more than {MAX_LEVELS} levels deep.")
