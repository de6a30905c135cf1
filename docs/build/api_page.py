"""The page docs/reference/api.md, from the API's operations and problems."""

from docs.build.markdown import table
from vitrine.api.application import OPERATIONS
from vitrine.api.openapi import problem_codes
from vitrine.api.operations import Operation
from vitrine.api.problems import KINDS

_HEAD = """\
# The API: operations and refusals

What [the API](../howto/use-the-api.md) answers. Its OpenAPI 3.1 document, with every field of every
body, is at `/openapi.json`; `vitrine api document` prints it. Records of objects and collections
are [those of the commands](objects.md).

A name at the end of a path is percent-encoded as a whole, slashes included. Requests that change
something may have an `Idempotency-Key`, and a POST that does must have one: the same request with
the same key happens once within a day. Requests marked with *version* have to say what they
replace, by `If-Match` with the `ETag` that was read, or by `If-None-Match: *` for something new.

`make docs` generates this page from `vitrine/api`.

## Operations

"""
_PROBLEMS = """
## Refusals

Each is `application/problem+json` (RFC 9457) with `type` `/problems/CODE`. Codes never change.

"""


def api_page() -> str:
    """Return the page as Markdown."""
    operations = table(
        ("request", "what it does", "answers", "refusals of its own"),
        [_row(operation) for operation in OPERATIONS],
        words=4,
    )
    problems = table(
        ("status", "code", "meaning", "what to do"),
        [
            (str(kind.status), f"`{code}`", kind.title, kind.advice)
            for code, kind in sorted(KINDS.items(), key=lambda item: (item[1].status, item[0]))
        ],
        words=4,
    )
    return _HEAD + operations + _PROBLEMS + problems


def _row(operation: Operation) -> tuple[str, str, str, str]:
    own = [code for code in problem_codes(operation) if code in operation.problems]
    version = " *(version)*" if operation.conditional else ""
    return (
        f"`{operation.method} {operation.path}`{version}",
        operation.summary,
        ", ".join(map(str, operation.answers)),
        ", ".join(f"`{code}`" for code in own),
    )
