"""What putting records would come to, for those who are still writing them."""

from typing import Annotated

from msgspec import Meta, Struct

from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.catalogue.preview import preview
from vitrine.iiif.presentation.model import ObjectCollection, PublishedObject

MAX_RECORDS = 100


class PreviewRecords(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Records that nobody has put yet."""

    records: Annotated[
        tuple[PublishedObject | ObjectCollection, ...],
        Meta(min_length=1, max_length=MAX_RECORDS),
    ]


class RecordFault(Struct, frozen=True, kw_only=True):
    """A rule that a record breaks."""

    place: Annotated[
        str,
        Meta(description="In the record, such as `canvases[0].alt_text`; empty: all of it."),
    ]
    reason: str


class RecordPreview(Struct, frozen=True, kw_only=True):
    """What putting a record would come to."""

    faults: Annotated[
        tuple[RecordFault, ...],
        Meta(description="With any, it would be refused. At most a hundred are listed."),
    ]
    page: Annotated[
        str,
        Meta(
            description="HTML of its page, if it is the only record and has no faults, else empty. "
            "To be shown in a frame whose `sandbox` allows no scripts, below a "
            "Content-Security-Policy."
        ),
    ] = ""


class Previews(Struct, frozen=True, kw_only=True):
    """What putting the records would come to, in their order."""

    previews: tuple[RecordPreview, ...]


def preview_records(call: Call) -> OperationResult:
    """Return the faults of records, and the page of a single one. Nothing is stored."""
    body: PreviewRecords = call.body
    objects, with_page = call.services.objects, len(body.records) == 1
    found = [preview(objects, record, with_page=with_page) for record in body.records]
    previews = tuple(
        RecordPreview(
            faults=tuple(RecordFault(place=one.place, reason=one.reason) for one in made.faults),
            page=made.page,
        )
        for made in found
    )
    return OperationResult(content=Previews(previews=previews))


OPERATIONS = (
    Operation(
        name="previewRecords",
        method="POST",
        path="/previews",
        summary="Check up to a hundred records, and see the page of one; nothing is stored.",
        act=preview_records,
        body=PreviewRecords,
        example={
            "records": [
                {
                    "type": "object",
                    "identifier": "letter-1",
                    "label": {"en": ["A letter"]},
                    "canvases": [{"image": "letter-1-recto"}],
                }
            ]
        },
        answers={200: Previews},
        is_question=True,
    ),
)
