"""The API as a function: a request in, an answer out, behind any server."""

import gzip
import logging
from dataclasses import replace

from vitrine.api import (
    access_operations,
    caller_operations,
    image_operations,
    ingest_operations,
    link_operations,
    member_operations,
    missing_text_operations,
    object_operations,
    photo_operations,
    preview_operations,
    redirect_list_operations,
    text_proposal_operations,
)
from vitrine.api.bodies import parse_body, parse_query
from vitrine.api.http import ApiRequest, ApiResponse, json_response
from vitrine.api.idempotency import HEADER, answer_once
from vitrine.api.operations import Call, Condition, Operation, OperationResult, names_tag
from vitrine.api.page_operations import page_operations
from vitrine.api.problems import Problem, problem_of, problem_response
from vitrine.api.services import Services
from vitrine.deliver.http.json_media import takes_encoding
from vitrine.errors import ServiceFailed
from vitrine.identify.identifier import parse_identifier

_ACTS: tuple[Operation, ...] = (
    *object_operations.OPERATIONS,
    *member_operations.OPERATIONS,
    *missing_text_operations.OPERATIONS,
    *text_proposal_operations.OPERATIONS,
    *preview_operations.OPERATIONS,
    *image_operations.OPERATIONS,
    *redirect_list_operations.OPERATIONS,
    *access_operations.OPERATIONS,
    *link_operations.OPERATIONS,
    *ingest_operations.OPERATIONS,
    *photo_operations.OPERATIONS,
    *caller_operations.OPERATIONS,
)
OPERATIONS: tuple[Operation, ...] = (*_ACTS, *page_operations(_ACTS))
MAX_ANSWER_BYTES = 4 << 20
"""Bytes of an answer as it is sent: Lambda returns 6 MB, Base64 included."""
MIN_COMPRESSED_BYTES = 32 << 10
BY_IDENTIFIER = "{identifier}"

logger = logging.getLogger(__name__)


def answer(services: Services, request: ApiRequest) -> ApiResponse:
    """Answer a request. Defects raise; all else is an answer."""
    try:
        operation, name = _find_operation(request)
        if not request.caller:
            raise Problem("caller-unknown")
        if operation.changes and operation.method == "POST" and HEADER not in request.headers:
            raise Problem("key-missing")
        if not operation.changes:
            return _compress_response(
                request, _perform_operation(services, operation, name, request)
            )
        records = services.publisher.records
        response = answer_once(
            records, request, lambda: _perform_operation(services, operation, name, request)
        )
        return _compress_response(request, response)
    except Exception as error:
        return _refuse_request(error)


def _find_operation(request: ApiRequest) -> tuple[Operation, str]:
    """Return the operation for a request, and what its path names. Raises Problem."""
    methods: list[str] = []
    for operation in OPERATIONS:
        name = _name_in(operation, request.path)
        if name is None:
            continue
        if operation.method == request.method:
            return operation, name
        methods.append(operation.method)
    if methods:
        raise Problem("method-not-allowed", headers={"allow": ", ".join(sorted(methods))})
    raise Problem("not-found")


def _name_in(operation: Operation, path: str) -> str | None:
    """Return what a path names for an operation, "" for nothing; None if it is another path."""
    if not operation.is_named:
        return "" if path == operation.path else None
    name = path.removeprefix(f"{operation.root}/")
    return name if name and name != path else None


def _perform_operation(
    services: Services, operation: Operation, name: str, request: ApiRequest
) -> ApiResponse:
    try:
        if operation.path.endswith(BY_IDENTIFIER):
            name = parse_identifier(name)
        call = Call(
            services=services.for_caller(request.caller, request.scopes),
            name=name,
            query=parse_query(request, operation.query),
            body=parse_body(request, operation.body) if operation.body else None,
            condition=Condition(
                request.headers.get("if-match", "").strip(),
                request.headers.get("if-none-match", "").strip() if operation.changes else "",
            ),
        )
        return _make_response(operation.act(call), request)
    except Exception as error:
        return _refuse_request(error)


def _refuse_request(error: Exception) -> ApiResponse:
    problem = problem_of(error)
    if problem is None:
        raise error
    if isinstance(error, ServiceFailed):
        logger.error("A service of AWS failed the API: %s", error)
    return problem_response(problem)


def _make_response(result: OperationResult, request: ApiRequest) -> ApiResponse:
    headers: dict[str, str] = {}
    if result.revision:
        headers["etag"] = f'"{result.revision}"'
        condition = request.headers.get("if-none-match", "").strip()
        if request.method == "GET" and condition and names_tag(condition, headers["etag"]):
            return ApiResponse(status=304, headers=headers | {"cache-control": "no-store"})
    if result.location:
        headers["location"] = result.location
    response = json_response(result.status, result.content, headers)
    return replace(response, good_seconds=result.good_seconds)


def _compress_response(request: ApiRequest, response: ApiResponse) -> ApiResponse:
    """Compress a large answer for those who take that. Raises Problem for one that stays large."""
    if len(response.body) < MIN_COMPRESSED_BYTES:
        return response
    if takes_encoding(request.headers.get("accept-encoding"), "gzip"):
        headers = {**response.headers, "content-encoding": "gzip", "vary": "accept-encoding"}
        response = replace(
            response, headers=headers, body=gzip.compress(response.body, compresslevel=5, mtime=0)
        )
    if len(response.body) > MAX_ANSWER_BYTES:
        raise Problem("answer-too-large")
    return response
