"""Rules of access to images, and the end of share links to them, by their identifiers."""

from functools import partial
from typing import Annotated

from msgspec import Meta, Struct

from vitrine.access.rules import INHERITED
from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.resources import ChangeQuery
from vitrine.identify.effective_rule import effective, has_own_rule, rules_of_collections
from vitrine.records import Record

RULE = (
    "Who may see how much: `open`; `closed`; the name of a right, such as `staff`; or `small:` and "
    "the most pixels that the longer side may have, such as `small:1000` or `small:1000:staff`."
)
Rule = Annotated[str, Meta(min_length=1, max_length=50, description=RULE)]


class SetAccess(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much of an image everybody may see."""

    access: Annotated[
        Rule,
        Meta(
            description=f"{RULE} Or `inherited`: the image has no rule of its own any more, and "
            "those of its collections hold."
        ),
    ]


class AccessRecord(Struct, frozen=True, kw_only=True):
    """The rule of access of an identifier."""

    identifier: str
    access: Rule
    is_own: Annotated[
        bool, Meta(description="True: somebody set it for this identifier, not for a collection.")
    ] = False
    collections: Annotated[
        dict[str, Rule],
        Meta(
            description="The rules of the collections that it is in, by collection; they all hold "
            "unless `is_own`. Those that it kept when it left a collection are among them."
        ),
    ] = {}
    revision: Annotated[
        int, Meta(ge=0, description="Of the identifier; 0: it was never used, and is open.")
    ]


def get_access(call: Call) -> OperationResult:
    """Return the rule of access of an identifier."""
    return _access_answer(call, call.services.register.table.get(call.name))


def put_access(call: Call) -> OperationResult:
    """Set the rule of access of an image, also of one that is yet to be uploaded."""
    body: SetAccess = call.body
    query: ChangeQuery = call.query
    call = call.for_collection(query.collection)
    record = call.services.register.table.get(call.name)
    over = call.over(record)
    curation = call.services.curation
    if body.access.strip().lower() == INHERITED:
        memberships = call.services.publisher.memberships
        change = curation.inherit(
            call.name, partial(memberships.collections.following, call.name), over=over
        )
    else:
        change = curation.set_access(call.name, body.access, over=over)
    return _access_answer(call, change.after)


def delete_links(call: Call) -> OperationResult:
    """End all share links to an image."""
    record = call.services.register.table.get(call.name)
    over = call.over(record)
    return _access_answer(call, call.services.curation.end_links(call.name, over=over).after)


def _access_answer(call: Call, record: Record | None) -> OperationResult:
    revision = record.revision if record else 0
    rules = call.services.publisher.rules()
    rule = (effective(record, rules) if record else "") or "open"
    content = AccessRecord(
        identifier=call.name,
        access=rule,
        is_own=record is not None and has_own_rule(record),
        collections=rules_of_collections(record, rules) if record else {},
        revision=revision,
    )
    return OperationResult(content=content, revision=revision)


OPERATIONS = (
    Operation(
        name="getAccess",
        method="GET",
        path="/access/{identifier}",
        summary="Read how much of an image everybody may see.",
        act=get_access,
        answers={200: AccessRecord},
    ),
    Operation(
        name="putAccess",
        method="PUT",
        path="/access/{identifier}",
        summary="Say how much of an image everybody may see, now or as soon as it is uploaded.",
        act=put_access,
        query=ChangeQuery,
        body=SetAccess,
        example={"access": "small:1000"},
        answers={200: AccessRecord},
        problems=("access-invalid", "no-image"),
        conditional=True,
    ),
    Operation(
        name="deleteLinks",
        method="DELETE",
        path="/links/{identifier}",
        summary="End all share links to an image; links made later are valid.",
        act=delete_links,
        answers={200: AccessRecord},
        problems=("no-image",),
        conditional=True,
    ),
)
