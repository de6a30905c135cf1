"""Lists of redirects: many previous identifiers in one request, each judged by itself."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.problems import Problem, ProblemDocument, problem_document, problem_of
from vitrine.api.resources import Identifier, Note, RedirectOptions
from vitrine.api.services import Services
from vitrine.errors import IdentifierRefused, PreconditionFailed, RevisionChanged
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.redirects.bulk import GatheredEvents
from vitrine.identify.redirects.redirects import AddedRedirect
from vitrine.store.conditional_writes import retry_if_changed

MAX_REDIRECTS = 100
"""Redirects of a request, which the gateway gives 30 seconds."""
THREADS = 16


class RequestedRedirect(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A redirect that a list requests."""

    identifier: Identifier
    target: Identifier
    note: Note = ""
    owner: Annotated[
        str,
        Meta(
            max_length=255,
            description="Identifier of the collection on whose behalf it redirects. Empty: of "
            "none, or of the first one of the caller's department.",
        ),
    ] = ""


class SetRedirects(RedirectOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Some redirects, and what they may replace."""

    redirects: Annotated[
        tuple[RequestedRedirect, ...], Meta(min_length=1, max_length=MAX_REDIRECTS)
    ]
    replace_owned: Annotated[
        bool, Meta(description="Even if another collection than `owner` owns it.")
    ] = False


class RedirectResult(Struct, frozen=True, kw_only=True):
    """What became of a requested redirect."""

    identifier: str
    target: Annotated[str, Meta(description="Where it leads: to the end of a chain.")]
    changed: Annotated[bool, Meta(description="False: it was like that before, or is refused.")]
    retargeted: Annotated[
        int, Meta(ge=0, description="Redirects to this identifier that now lead to its target.")
    ] = 0
    problem: Annotated[
        ProblemDocument | UnsetType,
        Meta(description="Why it is refused, if it is: as by a PUT, or by `identifier-owned`."),
    ] = UNSET


class RedirectResults(Struct, frozen=True, kw_only=True):
    """What became of each requested redirect, in their order."""

    redirects: tuple[RedirectResult, ...]


def set_redirects(call: Call) -> OperationResult:
    """Make some redirects, and say of each what became of it."""
    with GatheredEvents(call.services.publisher.events) as events:
        publisher = replace(call.services.publisher, events=events)
        services = replace(call.services, publisher=publisher)
        results = tuple(_set_all(services, call.body))
    return OperationResult(content=RedirectResults(redirects=results))


def _set_all(services: Services, body: SetRedirects) -> Iterator[RedirectResult]:
    with ThreadPoolExecutor(THREADS, thread_name_prefix="redirects") as threads:
        yield from threads.map(lambda row: _set_one(services, body, row), body.redirects)


def _set_one(services: Services, body: SetRedirects, row: RequestedRedirect) -> RedirectResult:
    try:
        added = retry_if_changed(
            lambda: _add(services, body, row), f'The identifier "{row.identifier}"'
        )
    except (IdentifierRefused, Problem) as error:
        problem = problem_of(error)
        assert problem
        return RedirectResult(
            identifier=row.identifier,
            target=row.target,
            changed=False,
            problem=problem_document(problem),
        )
    return RedirectResult(
        identifier=row.identifier,
        target=added.target,
        changed=added.change.made,
        retargeted=added.collapsed,
    )


def _add(services: Services, body: SetRedirects, row: RequestedRedirect) -> AddedRedirect:
    """Make a redirect in place of what its caller may replace; raises as `Redirects.add`.

    PreconditionFailed: it was changed after the rights were checked.
    """
    name, owner = parse_identifier(row.identifier), row.owner and parse_identifier(row.owner)
    has_all = services.rights.has_all
    if owner and not has_all:
        services = services.for_collection(owner)
    record = services.register.table.get(name)
    services.rights.check(name, record)
    try:
        return services.redirects.add(
            name,
            row.target,
            note=row.note,
            owner=owner,
            replace_live=body.replace_live,
            replace_withdrawn=body.replace_withdrawn,
            replace_owned=body.replace_owned,
            allow_dangling=body.allow_dangling,
            over=None if has_all else record.revision if record else 0,
        )
    except RevisionChanged as error:
        raise PreconditionFailed(name) from error


OPERATIONS = (
    Operation(
        name="setRedirects",
        method="POST",
        path="/redirects",
        summary="Redirect up to 100 previous identifiers to images; each is refused by itself.",
        act=set_redirects,
        body=SetRedirects,
        example={"redirects": [{"identifier": "A-12", "target": "SK-C-5"}]},
        answers={200: RedirectResults},
    ),
)
