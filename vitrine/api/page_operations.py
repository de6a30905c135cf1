"""What the API says about itself: its document, and a page for each kind of problem."""

from typing import Any

from vitrine.api.operations import Answer, Call, Operation
from vitrine.api.problems import KINDS, Problem, ProblemPage


def get_document(call: Call) -> Answer:
    """Return the OpenAPI document."""
    from vitrine.api.openapi import document  # which imports all operations

    return Answer(content=document())


def get_problem(call: Call) -> Answer:
    """Return what a kind of problem means."""
    kind = KINDS.get(call.name)
    if kind is None:
        raise Problem("not-found")
    page = ProblemPage(code=call.name, status=kind.status, title=kind.title, advice=kind.advice)
    return Answer(content=page)


PAGES = (
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
