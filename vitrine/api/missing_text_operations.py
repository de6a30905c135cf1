"""The views of a collection's objects that lack a text, as a list that somebody works through."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Annotated, Literal

from msgspec import Meta, Struct

from vitrine.api.object_operations import get_newest_record
from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.resources import Moved
from vitrine.catalogue.records import Described, ObjectRecord
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection, PublishedObject, Texts

MAX_VIEWS = 100
MAX_READ = 400
"""Members whose records are read for one answer: the gateway waits for 30 s."""
THREADS = 16
Lack = Literal["alt_text", "text"]


class MissingTextsQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of a list of views."""

    after: Annotated[
        str,
        Meta(
            pattern=r"^([0-9]{1,7}\.[0-9]{1,5})?$",
            description="`next` of the page before; empty: from the first member.",
        ),
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=MAX_VIEWS, description="How many to list at most.")] = (
        MAX_VIEWS
    )


class LackingView(Struct, frozen=True, kw_only=True):
    """A view that lacks a text."""

    object: Annotated[str, Meta(description="Identifier of the object.")]
    revision: Annotated[int, Meta(ge=1, description="Of the object's record.")]
    title: Annotated[Texts, Meta(description="Of the object.")]
    canvas: Annotated[int, Meta(ge=0, description="Place of the view in the object, from 0.")]
    image: Annotated[str, Meta(description="Identifier; empty for an image elsewhere.")]
    label: Annotated[Texts, Meta(description="Of the view.")]
    lacks: Annotated[
        tuple[Lack, ...],
        Meta(
            description="`text`: what is to be read on it, where other views of the object have "
            "that and OCR does not read them."
        ),
    ]


class MissingTexts(Struct, frozen=True, kw_only=True):
    """Some views, in the order of the collection."""

    canvases: tuple[LackingView, ...]
    next: Annotated[
        str,
        Meta(
            description="The value of `after` for the next page, which may follow an empty one; "
            "empty: this is the last."
        ),
    ]


def list_missing_texts(call: Call) -> OperationResult:
    """Return views that lack texts, of the objects in a collection, but not in those in it."""
    query: MissingTextsQuery = call.query
    found = get_newest_record(call, ObjectCollection)
    collection = found.content
    if not isinstance(collection, ObjectCollection):
        return found
    first, _, seen = (query.after or "0.0").partition(".")
    start, skipped = int(first), int(seen)
    members = collection.members[start : start + MAX_READ]
    views = (
        (start + number, view)
        for number, record in enumerate(_read_records(call, members))
        for view in _find_lacking(record)
        if number or view.canvas >= skipped
    )
    listed = [*islice(views, query.limit + 1)]
    end = start + len(members)
    after = f"{end}.0" if end < len(collection.members) else ""
    if len(listed) > query.limit:
        place, view = listed.pop()
        after = f"{place}.{view.canvas}"
    content = MissingTexts(canvases=tuple(view for _, view in listed), next=after)
    return OperationResult(content=content)


def _read_records(call: Call, members: Sequence[Member]) -> Iterator[ObjectRecord | None]:
    """Yield the newest record of each member; none of a collection, which has its own list."""
    journal = call.services.publisher.journal
    with ThreadPoolExecutor(THREADS, thread_name_prefix="texts") as threads:
        for start in range(0, len(members), THREADS):
            part = members[start : start + THREADS]
            yield from threads.map(
                lambda one: None if one.is_collection else journal.latest(one.identifier), part
            )


def _find_lacking(record: ObjectRecord | None) -> Iterator[LackingView]:
    """Yield the views of an object that lack a text."""
    item = record.item if isinstance(record, Described) else None
    if record is None or not isinstance(item, PublishedObject):
        return
    has_texts = not item.ocr and any(canvas.text for canvas in item.canvases)
    for place, canvas in enumerate(item.canvases):
        if lacks := tuple(_name_lacks(canvas, has_texts=has_texts)):
            yield LackingView(
                object=item.identifier,
                revision=record.revision,
                title=item.label,
                canvas=place,
                image=canvas.image,
                label=canvas.label,
                lacks=lacks,
            )


def _name_lacks(canvas: Canvas, *, has_texts: bool) -> Iterator[Lack]:
    if not any(any(values) for values in canvas.alt_text.values()):
        yield "alt_text"
    if has_texts and not canvas.text:
        yield "text"


OPERATIONS = (
    Operation(
        name="listMissingTexts",
        method="GET",
        path="/missing-texts/{identifier}",
        summary="List the views of a collection's objects that lack an alternative or other text.",
        act=list_missing_texts,
        query=MissingTextsQuery,
        answers={200: MissingTexts, 301: Moved},
        problems=("no-object", "object-gone"),
    ),
)
