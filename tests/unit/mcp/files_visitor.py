"""A visitor of a service whose answers are written down."""

from collections.abc import Mapping

import httpx2

from vitrine.mcp.visitor import Visitor

BASE = "https://images.example.org"
Said = tuple[int, Mapping[str, str], bytes]
"""Status, headers and body of an answer."""


def visit(answers: Mapping[str, Said | bytes]) -> Visitor:
    """Return a visitor for whom these addresses answer, and no others."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        found = answers.get(str(request.url), (404, {}, b'{"reason":"not here"}'))
        status, headers, body = (200, {}, found) if isinstance(found, bytes) else found
        return httpx2.Response(status, headers=dict(headers), content=body)

    return Visitor(httpx2.AsyncClient(transport=httpx2.MockTransport(answer)), BASE)
