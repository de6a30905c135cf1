"""What the API says about itself: its document, and a page for each kind of problem."""

from functools import cache
from typing import Any

from vitrine.api.openapi import document
from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.problems import KINDS, Problem, ProblemPage


def page_operations(others: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """Return the operations that describe `others`, and themselves."""

    @cache
    def describe() -> dict[str, Any]:
        return document((*others, *pages))

    def get_document(call: Call) -> OperationResult:
        return OperationResult(content=describe())

    pages = (
        Operation(
            name="getDocument",
            method="GET",
            path="/openapi.json",
            summary="Read this document.",
            act=get_document,
            answers={200: dict[str, Any]},
        ),
        Operation(
            name="getProblem",
            method="GET",
            path="/problems/{code}",
            summary="Read what a kind of problem means, and what to do.",
            act=get_problem,
            answers={200: ProblemPage},
        ),
    )
    return pages


def get_problem(call: Call) -> OperationResult:
    """Return what a kind of problem means."""
    kind = KINDS.get(call.name)
    if kind is None:
        raise Problem("not-found")
    page = ProblemPage(code=call.name, status=kind.status, title=kind.title, advice=kind.advice)
    return OperationResult(content=page)
