"""Everything that can be wrong with a request: one table of codes (RFC 9457, "Problem Details")."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import msgspec
from msgspec import Meta

from vitrine.api.http import PROBLEM, ApiResponse, json_response
from vitrine.api.photo_problems import PHOTO_KINDS
from vitrine.errors import (
    IdentifierRefused,
    ObjectRefused,
    RevisionChanged,
    ServiceRefused,
    TransientError,
)

RETRY_SECONDS = 2


@dataclass(frozen=True)
class ProblemKind:
    """A kind of problem: its status, what it is called, and what to do about it."""

    status: int
    title: str
    advice: str


KINDS: dict[str, ProblemKind] = {
    "body-invalid": ProblemKind(
        400, "The body is no valid JSON of its schema", "Correct the place that `detail` names."
    ),
    "query-invalid": ProblemKind(
        400,
        "A parameter of the query is unknown or has no valid value",
        "Correct the parameter that `detail` names.",
    ),
    "header-invalid": ProblemKind(
        400,
        "A header has no valid value",
        "An entity tag is a number in quotation marks, as ETag has it; a key has 1 to 255 "
        "printable ASCII characters.",
    ),
    "key-missing": ProblemKind(
        400,
        "The request has no Idempotency-Key",
        "Send a new random one, such as a UUID, with each POST, and the same one when you repeat "
        "it: then nothing happens twice.",
    ),
    "identifier-invalid": ProblemKind(
        400, "This cannot be an identifier", "docs/reference/identifiers.md has the rules."
    ),
    "key-invalid": ProblemKind(
        400,
        "This cannot be the key of a master",
        "At most 1,024 bytes in UTF-8, without control characters and without empty, `.` or `..` "
        "segments.",
    ),
    "caller-unknown": ProblemKind(
        401,
        "The gateway did not say who is asking",
        "Sign the request, or send a token; if you did, the API is deployed without an authorizer.",
    ),
    "collection-forbidden": ProblemKind(
        403,
        "This is outside of the collections of your department",
        "Ask those whose it is, or choose another identifier. "
        "docs/howto/share-between-departments.md says how a department gets its collections.",
    ),
    "not-found": ProblemKind(404, "There is nothing at this address", "Check its spelling."),
    "method-not-allowed": ProblemKind(
        405, "This address has no such method", "Use one that `Allow` has."
    ),
    "object-renamed": ProblemKind(
        409,
        "This identifier redirects to another object",
        "Use the identifier that it redirects to, or one that is free.",
    ),
    "object-withdrawn": ProblemKind(
        409,
        "The object of this identifier was withdrawn",
        "Add `?replace_withdrawn=true` to show it again.",
    ),
    "identifier-taken": ProblemKind(
        409,
        "This identifier is in use",
        "Choose another one, or remove the redirect first if it is one.",
    ),
    "identifier-owned": ProblemKind(
        409,
        "This identifier belongs to another collection",
        "Send `replace_owned: true` to redirect it all the same.",
    ),
    "live-image": ProblemKind(
        409,
        "This identifier is that of a live image",
        "Send `replace_live: true` to redirect its addresses all the same.",
    ),
    "withdrawn-image": ProblemKind(
        409,
        "The image of this identifier was withdrawn",
        "Send `replace_withdrawn: true` to use its identifier for something else; the image can "
        "then no longer be restored.",
    ),
    "another-image": ProblemKind(
        409,
        "This identifier shows another image by now",
        "Upload the withdrawn image again, with another identifier.",
    ),
    "renamed": ProblemKind(
        409,
        "The master of this image is published under another identifier",
        "PUT a redirect to that identifier.",
    ),
    "master-missing": ProblemKind(
        409, "The master was deleted or never uploaded", "Upload it with `POST /ingests`."
    ),
    "master-replaced": ProblemKind(
        409,
        "The master was replaced just now",
        "Send the request again, with a new Idempotency-Key.",
    ),
    "master-too-large": ProblemKind(
        409,
        "The master is too large for this door",
        "Upload it in parts (`in_parts`); to rename or restore its image, use `vitrine image`.",
    ),
    "upload-missing": ProblemKind(
        409,
        "There is no such upload in parts, or not any more",
        "Begin a new one with `in_parts`; S3 keeps the parts of one that was not ended for a week.",
    ),
    "open-image": ProblemKind(
        409, "The image is open to everybody", "Send its usual address; it needs no link."
    ),
    "closed-image": ProblemKind(
        409,
        "The image is closed, for links as well",
        "Restrict it to a right first, such as `staff`, by `PUT /access/{identifier}`.",
    ),
    "keys-missing": ProblemKind(
        409,
        "There is no key yet that signs links",
        "Ask those who operate the service for one; docs/howto/restrict-images.md has the command.",
    ),
    "proposals-missing": ProblemKind(
        409,
        "No program proposes texts here",
        "Write the text yourself; docs/howto/propose-texts.md says how one is connected.",
    ),
    "key-in-use": ProblemKind(
        409,
        "A request with this Idempotency-Key is being answered",
        "Repeat it when `Retry-After` is over.",
    ),
    "object-gone": ProblemKind(
        410, "The object was withdrawn", "`detail` is the reason that everybody can read."
    ),
    "revision-changed": ProblemKind(
        412,
        "Somebody changed it, or it exists already, or not any more",
        "Read it again, and put your change on top of that.",
    ),
    "body-too-large": ProblemKind(
        413,
        "The body is too large",
        "Send at most 4 MiB; `vitrine object put` takes more.",
    ),
    "type-unsupported": ProblemKind(
        415, "The body is not sent as JSON", "Send `Content-Type: application/json`, uncompressed."
    ),
    "answer-too-large": ProblemKind(
        406,
        "The answer is too large to be sent uncompressed",
        "Send `Accept-Encoding: gzip`; what is too large even so, `vitrine object show` prints.",
    ),
    "record-invalid": ProblemKind(
        422, "The record breaks rules", "Correct each place that `faults` names."
    ),
    "collection-in-itself": ProblemKind(
        422,
        "A collection that would be in itself",
        "Take one of the collections that `detail` names out of the one before it first.",
    ),
    "no-object": ProblemKind(
        404, "There is no such object", "Check its spelling; `GET /objects` lists."
    ),
    "no-image": ProblemKind(404, "There is no such image", "Check the spelling of its identifier."),
    "access-invalid": ProblemKind(
        422, "This is no rule of access", "It is open, closed, a right, or small: and pixels."
    ),
    "size-too-small": ProblemKind(
        422, "Nothing is stored that small", "Choose at least the size that `detail` names."
    ),
    "region-outside": ProblemKind(
        422, "The region has nothing of the image", "Choose one within the image."
    ),
    "no-redirect": ProblemKind(404, "There is no such redirect", "Check its spelling."),
    "self": ProblemKind(422, "A redirect to itself", "Choose another identifier."),
    "loop": ProblemKind(422, "A redirect that leads back to itself", "Choose another target."),
    "dangling": ProblemKind(
        422,
        "The target is neither an image nor a tombstone",
        "Check its spelling, or send `allow_dangling: true` if the image is yet to come.",
    ),
    "key-reused": ProblemKind(
        422,
        "This Idempotency-Key came with another request before",
        "Send a new key with a new request.",
    ),
    "proposal-failed": ProblemKind(
        424,
        "There is no proposal for this image",
        "Write the text yourself, or try again later; `detail` says what failed.",
    ),
    "precondition-missing": ProblemKind(
        428,
        "The request does not say what it replaces",
        "Send `If-Match` with the ETag that you read, or `If-None-Match: *` for something new.",
    ),
    **{code: ProblemKind(*words) for code, words in PHOTO_KINDS.items()},
    "try-again": ProblemKind(
        503, "A store did not answer, or too many change this", "Repeat the request."
    ),
    "damaged": ProblemKind(
        503,
        "What is stored of this object is damaged",
        "Tell those who operate the service: no repetition helps before they have repaired it.",
    ),
    "service-refused": ProblemKind(
        503,
        "AWS refuses the API a right, a key or a bucket",
        "Tell those who operate the service: no repetition helps before they have mended it.",
    ),
}
"""Kinds of problems by their codes, which never change. Nothing else decides a status."""


class ProblemDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wrong with a request (RFC 9457)."""

    type: Annotated[str, Meta(description="Path of a page about this kind: `/problems/CODE`.")]
    title: Annotated[str, Meta(description="What is wrong, the same for all of this kind.")]
    status: Annotated[int, Meta(description="The status of the answer, once more.")]
    detail: Annotated[str, Meta(description="What is wrong with this request.")] = ""
    command: Annotated[
        str,
        Meta(
            description="The same for those who use the command line: it may name options of "
            "`vitrine`."
        ),
    ] = ""
    advice: Annotated[str, Meta(description="What to do.")]
    faults: Annotated[
        tuple[str, ...], Meta(description="Sentences that each name a place in the body.")
    ] = ()


class ProblemPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page about a kind of problem."""

    code: str
    status: int
    title: str
    advice: str


@dataclass(eq=False)
class Problem(Exception):
    """The end of a request that cannot be answered as it is."""

    code: str
    detail: str = ""
    faults: Sequence[str] = ()
    headers: dict[str, str] = field(default_factory=dict)
    command: str = ""


_SAYS_OPTIONS = frozenset(
    {
        *("object-withdrawn", "live-image", "withdrawn-image", "dangling", "another-image"),
        *("identifier-taken", "identifier-owned", "renamed", "no-object", "no-image"),
        *("open-image", "closed-image"),
    }
)
"""Codes whose sentences name options of the command line, where the advice of the table does."""


def problem_of(error: Exception) -> Problem | None:
    """Return what an error of a controller means here; None for a defect."""
    match error:
        case Problem():
            return error
        case RevisionChanged(found=found):
            headers = {"etag": f'"{found}"'} if found else {}
            return Problem("revision-changed", headers=headers)
        case ObjectRefused(code=code, faults=faults):
            return _explain_refusal(code, str(error), faults)
        case IdentifierRefused(code=code):
            return _explain_refusal(code, str(error))
        case TransientError():
            return Problem("try-again", headers={"retry-after": str(RETRY_SECONDS)})
        case ServiceRefused():
            return Problem("service-refused")
        case _:
            return None


def _explain_refusal(code: str, sentence: str, faults: Sequence[str] = ()) -> Problem:
    if code in _SAYS_OPTIONS:
        return Problem(code, faults=faults, command=sentence)
    return Problem(code, sentence, faults)


def problem_document(problem: Problem) -> ProblemDocument:
    """Return what a problem says."""
    kind = KINDS[problem.code]
    return ProblemDocument(
        type=f"/problems/{problem.code}",
        title=kind.title,
        status=kind.status,
        detail=problem.detail,
        command=problem.command,
        advice=kind.advice,
        faults=tuple(problem.faults),
    )


def problem_response(problem: Problem) -> ApiResponse:
    """Return the answer for a problem."""
    document = problem_document(problem)
    return json_response(document.status, document, problem.headers, PROBLEM)
