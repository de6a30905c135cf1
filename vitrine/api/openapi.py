"""The OpenAPI 3.1 document, made of the operations and of their types."""

import re
from typing import Any

import msgspec

from vitrine import __version__
from vitrine.api.http import JSON, PROBLEM
from vitrine.api.idempotency import HEADER, REPLAYED
from vitrine.api.operations import Operation
from vitrine.api.problems import KINDS, ProblemDocument

_REFERENCE = "#/components/schemas/{name}"
_EVERYWHERE = (
    *("not-found", "query-invalid", "caller-unknown", "method-not-allowed"),
    *("try-again", "service-refused"),
)
_BY_IDENTIFIER = ("identifier-invalid",)
_WITH_BODY = ("body-invalid", "body-too-large", "type-unsupported")
_CHANGING = ("header-invalid", "key-in-use", "key-reused", "collection-forbidden")
_CONDITIONAL = ("precondition-missing", "revision-changed")
_LARGE = ("answer-too-large",)
_ABOUT = """\
Objects, collections, images, redirects and masters of one Vitrine, by the same rules as its \
commands. A name at the end of a path is percent-encoded, slashes included. The gateway in front \
answers 401, 403, 404, 429 and 503 by itself, as `{"message": …}`."""


def document(operations: tuple[Operation, ...]) -> dict[str, Any]:
    """Return the document of these operations, ready for JSON."""
    types = [kind for operation in operations for kind in _operation_types(operation)]
    schemas, components = msgspec.json.schema_components(
        [*types, ProblemDocument], ref_template=_REFERENCE
    )
    found = dict(zip(map(repr, [*types, ProblemDocument]), schemas, strict=True))
    paths: dict[str, Any] = {}
    for operation in operations:
        described = _describe_operation(operation, found)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "Vitrine", "version": __version__, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "security": [{"signature": []}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "signature": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "AWS Signature Version 4 for the service `execute-api`.",
                },
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
            },
        },
    }


def problem_codes(operation: Operation) -> list[str]:
    """Return the codes of all problems that an operation may answer with."""
    codes = [*_EVERYWHERE, *operation.problems]
    codes += _BY_IDENTIFIER if _takes_identifiers(operation) else ()
    codes += _WITH_BODY if operation.body else ()
    codes += _CHANGING if operation.changes else ()
    codes += ("key-missing",) if operation.changes and operation.method == "POST" else ()
    codes += _CONDITIONAL if operation.conditional else ()
    codes += ("header-invalid", *_LARGE) if not operation.changes else ()
    return sorted(set(codes), key=lambda code: (KINDS[code].status, code))


def _takes_identifiers(operation: Operation) -> bool:
    return "identifier" in operation.path or operation.path in (
        *(
            "/publications",
            "/restorations",
            "/renames",
            "/redirects",
            "/ingests",
            "/links",
            "/text-proposals",
        ),
    )


def _operation_types(operation: Operation) -> list[Any]:
    return [*operation.answers.values(), *([operation.body] if operation.body else [])]


def _describe_operation(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [operation.root.strip("/")],
        "parameters": [*_path_parameters(operation), *_query_parameters(operation)],
        "responses": _describe_responses(operation, schemas),
    }
    described["parameters"] += _header_parameters(operation)
    if operation.body:
        content: dict[str, Any] = {"schema": schemas[repr(operation.body)]}
        described["requestBody"] = {
            "required": True,
            "content": {JSON: content | {"example": operation.example}},
        }
    return described


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    names = re.findall(r"\{(\w+)\}", operation.path)
    most = 1_024 if names == ["key"] else 255
    schema = {"type": "string", "minLength": 1, "maxLength": most}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in names]


def _query_parameters(operation: Operation) -> list[dict[str, Any]]:
    schema = msgspec.json.schema(operation.query)
    (body,) = schema["$defs"].values()
    return [
        _describe_parameter(name, "query", dict(kind), required=name in body.get("required", ()))
        for name, kind in body["properties"].items()
    ]


def _header_parameters(operation: Operation) -> list[dict[str, Any]]:
    tags = {"type": "string", "pattern": r'^(\*|"[0-9]{1,10}")$'}
    found = []
    if operation.conditional:
        found += [
            _describe_parameter(
                "If-Match", "header", tags | {"description": "The ETag that was read."}
            ),
            _describe_parameter(
                "If-None-Match", "header", tags | {"description": "`*`: there is nothing yet."}
            ),
        ]
    elif not operation.changes and operation.is_named:
        found += [
            _describe_parameter("If-None-Match", "header", tags | {"description": "For a 304."})
        ]
    if operation.changes:
        key = {
            "type": "string",
            "pattern": "^[!-~]{1,255}$",
            "description": "The same request with the same key happens once within a day.",
        }
        found += [
            _describe_parameter(
                "Idempotency-Key", "header", key, required=operation.method == "POST"
            )
        ]
    return found


def _describe_parameter(
    name: str, place: str, schema: dict[str, Any], *, required: bool = False
) -> dict[str, Any]:
    description = schema.pop("description", "")
    found: dict[str, Any] = {"name": name, "in": place, "schema": schema}
    if description:
        found["description"] = description
    return found | ({"required": True} if required else {})


def _describe_responses(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for status, kind in operation.answers.items():
        responses[str(status)] = {
            "description": _DONE[status],
            "headers": _response_headers(operation, status),
            "content": {JSON: {"schema": schemas[repr(kind)]}},
        }
    if not operation.changes and operation.is_named and operation.path != "/problems/{code}":
        responses["304"] = {"description": "It is what you have."}
    for code in problem_codes(operation):
        kind = KINDS[code]
        line = f"`{code}`: {kind.title}. {kind.advice}"
        found = responses.setdefault(
            str(kind.status),
            {"description": "", "content": {PROBLEM: {"schema": schemas[repr(ProblemDocument)]}}},
        )
        found["description"] = "\n\n".join(filter(None, (found["description"], line)))
    return responses


_DONE = {
    200: "Done.",
    201: "Done: it is new.",
    202: "Begun; `Location` says how far it is.",
    301: "It has another identifier, which `Location` leads to.",
}


def _response_headers(operation: Operation, status: int) -> dict[str, Any]:
    text = {"schema": {"type": "string"}}
    found: dict[str, Any] = {}
    if status in (202, 301) or operation.name == "startIngest":
        found["Location"] = {"description": "Relative to the address of the request.", **text}
    if operation.changes:
        found[REPLAYED.title()] = {
            "description": f"`true`: this request was answered before, by its {HEADER.title()}.",
            **text,
        }
    return found
