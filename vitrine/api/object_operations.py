"""Objects and collections: records, histories, publications, new names."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.problems import Problem
from vitrine.api.relative import sibling
from vitrine.api.resources import (
    Entry,
    History,
    HistoryQuery,
    Listed,
    Listing,
    Moved,
    Page,
    Publish,
    Published,
    PutQuery,
    RecordQuery,
    WithdrawQuery,
)
from vitrine.catalogue.objects import ChangeResult
from vitrine.catalogue.publisher import Publishing
from vitrine.catalogue.records import (
    Described,
    ObjectRecord,
    Renamed,
    TakenDown,
    rule_of,
)
from vitrine.catalogue.statements import Kinds
from vitrine.identify.identifier import parse_identifier
from vitrine.iiif.presentation.addresses import DOCUMENTS, NEWEST, document_path
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject
from vitrine.store import publications
from vitrine.store.layout import MOVED

PATHS: dict[type, str] = {PublishedObject: "objects", ObjectCollection: "collections"}
_STATES: dict[type, Any] = {
    publications.Published: "published",
    publications.Waiting: "waiting",
    publications.Moved: "moved",
    publications.Withdrawn: "withdrawn",
}


def list_identifiers(call: Call) -> OperationResult:
    """List objects and collections; both share one space of identifiers."""
    page: Page = call.query
    publisher = call.services.publisher
    names = tuple(islice(publisher.journal.identifiers(page.after), page.limit + 1))
    shown = names[: page.limit]
    kinds = publisher.catalogue.kinds(shown)
    objects = tuple(Listed(identifier=one, kind=_kind_of(kinds, one)) for one in shown)
    following = shown[-1] if len(names) > page.limit else ""
    return OperationResult(content=Listing(objects=objects, next=following))


def _kind_of(kinds: Kinds, identifier: str) -> Any:
    says = kinds.get(identifier)
    if not says:
        return "object"
    return "redirect" if says[0] == MOVED else says[0]


def get_record(call: Call, kind: type) -> OperationResult:
    """Return the record of an object or a collection."""
    query: RecordQuery = call.query
    if query.revision:
        return _get_earlier_record(call, kind, query.revision)
    return get_newest_record(call, kind)


def get_newest_record(call: Call, kind: type) -> OperationResult:
    """Return the newest record, or that it has another identifier. Raises Problem."""
    record = _latest_record(call)
    match record:
        case Described(item=item) if isinstance(item, kind):
            return OperationResult(content=item, revision=record.revision)
        case Described(item=item):
            raise Problem("no-object", f"It is among {PATHS[type(item)]}.")
        case Renamed(target=target):
            moved = Moved(identifier=call.name, target=target, revision=record.revision)
            location = sibling(target)
            return OperationResult(
                content=moved, status=301, revision=record.revision, location=location
            )
        case TakenDown(reason=reason):
            raise Problem("object-gone", reason, headers={"etag": f'"{record.revision}"'})
        case None:
            raise Problem("no-object")


def _get_earlier_record(call: Call, kind: type, revision: int) -> OperationResult:
    """Return what a record was. What is put back replaces the newest, so it has no ETag."""
    match call.services.publisher.journal.entry(call.name, revision):
        case Described(item=item) if isinstance(item, kind):
            return OperationResult(content=item)
        case Described(item=item):
            raise Problem("no-object", f"Revision {revision} is among {PATHS[type(item)]}.")
        case Renamed(target=target):
            raise Problem("no-object", f'Revision {revision} is a redirect to "{target}".')
        case TakenDown(reason=reason):
            raise Problem("object-gone", reason)
        case None:
            raise Problem("no-object", f"It has no revision {revision}.")


def put_record(call: Call) -> OperationResult:
    """Publish an object or a collection."""
    query: PutQuery = call.query
    call = call.for_collection(query.collection)
    if parse_identifier(call.body.identifier) != call.name:
        raise Problem("body-invalid", "`identifier` is not the one in the path.")
    rights, record = call.services.rights, _latest_record(call)
    rights.check_object(call.name, record)
    over = call.over(record)
    result = call.services.objects.put(
        call.body,
        over=over,
        replace_withdrawn=query.replace_withdrawn,
        keeps_closed=query.keeps_closed,
        owner=rights.owner_of_object(call.name, record),
    )
    answer = _describe_result(call, result)
    return OperationResult(
        content=answer,
        status=201 if result.changed and over == 0 else 200,
        revision=answer.revision,
    )


def delete_record(call: Call) -> OperationResult:
    """Withdraw an object or a collection; a tombstone with the reason stays."""
    query: WithdrawQuery = call.query
    over = call.over(_latest_record(call))
    result = call.services.objects.withdraw(call.name, query.reason.strip(), over=over)
    return OperationResult(content=_describe_result(call, result), revision=result.record.revision)


def get_history(call: Call) -> OperationResult:
    """Return what an object or a collection was, the newest first."""
    query: HistoryQuery = call.query
    found = call.services.publisher.journal.signed_newest_first(call.name, query.before)
    entries = tuple(_list_entries(islice(found, query.limit)))
    if not entries and not query.before:
        raise Problem("no-object")
    return OperationResult(content=History(entries=entries))


def get_publication(call: Call) -> OperationResult:
    """Return what is published of an object or a collection."""
    publishing = call.services.publisher.published(call.name)
    if publishing is None:
        raise Problem("no-object")
    return OperationResult(
        content=_describe_publication(call, call.name, publishing, changed=False)
    )


def publish_again(call: Call) -> OperationResult:
    """Publish an object or a collection again from its record."""
    body: Publish = call.body
    identifier = parse_identifier(body.identifier)
    publisher = call.services.publisher
    call.services.rights.check(identifier, publisher.journal.latest(identifier))
    publishing = publisher.publish(identifier)
    if publishing is None:
        raise Problem("no-object")
    return OperationResult(
        content=_describe_publication(call, identifier, publishing, publishing.made)
    )


def rename_object(call: Call) -> OperationResult:
    """Give an object or a collection another identifier."""
    old, new = parse_identifier(call.body.old), parse_identifier(call.body.new)
    rights, journal = call.services.rights, call.services.publisher.journal
    record = journal.latest(old)
    rights.check(old, record)
    rights.check_object(new, journal.latest(new))
    over = None if rights.has_all or record is None else record.revision
    result = call.services.objects.rename(old, new, over=over)
    return OperationResult(content=_describe_result(call, result))


def _describe_result(call: Call, result: ChangeResult) -> Published:
    record = result.record
    return _describe_publication(call, record.identifier, result.publishing, result.changed)


def _describe_publication(
    call: Call, identifier: str, publishing: Publishing, changed: bool
) -> Published:
    publication = publishing.publication
    address = ""
    if isinstance(publication, publications.Published):
        document = DOCUMENTS[publication.kind]
        address = call.services.edge_url + document_path(NEWEST, identifier, document)
    return Published(
        identifier=identifier,
        state=_STATES[type(publication)],
        revision=publication.revision,
        changed=changed,
        address=address,
        missing_images=publishing.missing,
        unread_pages=publishing.unread.pages,
        unread_reason=publishing.unread.reason,
    )


def _latest_record(call: Call) -> ObjectRecord | None:
    return call.services.publisher.journal.latest(call.name)


def _list_entries(found: Iterator[tuple[ObjectRecord, str]]) -> Iterator[Entry]:
    for record, author in found:
        match record:
            case Described(item=item):
                state: Any = "described"
                summary = next((values[0] for values in item.label.values() if values), "")
            case Renamed(target=target):
                state, summary = "redirect", target
            case TakenDown(reason=reason):
                state, summary = "gone", reason
        yield Entry(
            revision=record.revision,
            changed_at=record.changed_at,
            changed_by=author,
            state=state,
            summary=summary,
            access=rule_of(record),
        )


_TEXT = {"en": ["A letter"]}
_EXAMPLES: dict[type, Any] = {
    PublishedObject: {
        "type": "object",
        "identifier": "letter-1",
        "label": _TEXT,
        "canvases": [{"image": "letter-1-recto"}, {"image": "letter-1-verso"}],
    },
    ObjectCollection: {
        "type": "collection",
        "identifier": "letters",
        "label": {"en": ["Letters"]},
        "members": [{"identifier": "letter-1", "label": _TEXT}],
    },
}


def _record_operations(kind: type, noun: str) -> list[Operation]:
    path = f"/{PATHS[kind]}/{{identifier}}"
    name = noun.capitalize()
    return [
        Operation(
            name=f"get{name}",
            method="GET",
            path=path,
            summary=f"Read the record of one {noun}, also an earlier one by `?revision=`.",
            act=lambda call: get_record(call, kind),
            query=RecordQuery,
            answers={200: kind, 301: Moved},
            problems=("no-object", "object-gone"),
        ),
        Operation(
            name=f"put{name}",
            method="PUT",
            path=path,
            summary=f"Publish one {noun}: at once, in both versions of the Presentation API.",
            act=put_record,
            query=PutQuery,
            body=kind,
            example=_EXAMPLES[kind],
            answers={200: Published, 201: Published},
            problems=(
                *("record-invalid", "object-renamed", "object-withdrawn", "identifier-taken"),
                *(("collection-in-itself",) if kind is ObjectCollection else ()),
            ),
            conditional=True,
        ),
        Operation(
            name=f"delete{name}",
            method="DELETE",
            path=path,
            summary=f"Withdraw one {noun}: its addresses answer 410 with the reason.",
            act=delete_record,
            query=WithdrawQuery,
            answers={200: Published},
            problems=("no-object", "object-renamed"),
            conditional=True,
        ),
    ]


OPERATIONS = (
    Operation(
        name="listObjects",
        method="GET",
        path="/objects",
        summary="List all identifiers of objects and collections that there ever were, and kinds.",
        act=list_identifiers,
        query=Page,
        answers={200: Listing},
    ),
    *_record_operations(PublishedObject, "object"),
    *_record_operations(ObjectCollection, "collection"),
    Operation(
        name="getHistory",
        method="GET",
        path="/histories/{identifier}",
        summary="Read what an object or a collection has been, and who made it so.",
        act=get_history,
        query=HistoryQuery,
        answers={200: History},
        problems=("no-object",),
    ),
    Operation(
        name="getPublication",
        method="GET",
        path="/publications/{identifier}",
        summary="Read what is published of an object or a collection, and what is still missing.",
        act=get_publication,
        answers={200: Published},
        problems=("no-object",),
    ),
    Operation(
        name="startPublication",
        method="POST",
        path="/publications",
        summary="Publish an object or a collection again, as after a loss.",
        act=publish_again,
        body=Publish,
        example={"identifier": "letter-1"},
        answers={200: Published},
        problems=("no-object",),
    ),
)
