"""What requests and answers hold; `vitrine.api.openapi` describes them by these types.

The records of objects themselves are those of `vitrine.iiif.presentation.model`.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

MAX_LISTED = 1_000

Identifier = Annotated[
    str, Meta(min_length=1, max_length=255, description="At most 255 bytes in UTF-8.")
]
Reason = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=1_000,
        pattern=r"\S",
        description="Why it is withdrawn. Everyone who asks for it can read this.",
    ),
]
Revision = Annotated[
    int,
    Meta(ge=1, description="Counts the changes of the identifier; the ETag in quotation marks."),
]
Moment = Annotated[str, Meta(description="RFC 3339, UTC.")]
Address = Annotated[str, Meta(description="Address for everybody, at the edge.")]
Limit = Annotated[int, Meta(ge=1, le=MAX_LISTED, description="How many to list at most.")]


class Page(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of a listing."""

    after: Annotated[
        str, Meta(max_length=255, description="The last identifier of the page before.")
    ] = ""
    limit: Limit = 100


class Listed(Struct, frozen=True, kw_only=True):
    """An identifier, and what it is now."""

    identifier: str
    kind: Annotated[
        Literal["object", "collection", "redirect", "withdrawn", "unreadable"],
        Meta(description="`redirect`: a previous identifier; `unreadable`: its record is damaged."),
    ]


class Listing(Struct, frozen=True, kw_only=True):
    """Some identifiers, in an order of no meaning that never changes."""

    objects: tuple[Listed, ...]
    next: Annotated[
        str, Meta(description="The value of `after` for the next page; empty: this is the last.")
    ]


class ChangeQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of a change on behalf of a collection."""

    collection: Annotated[
        str,
        Meta(
            max_length=255,
            description="Identifier of one of the caller's collections: what is new belongs to it, "
            "and what any other has is refused. Empty: all collections of the caller, of which "
            "the first one gets what is new.",
        ),
    ] = ""


class PutQuery(ChangeQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of a change of an object or a collection."""

    replace_withdrawn: Annotated[bool, Meta(description="Show what was withdrawn again.")] = False
    keeps_closed: Annotated[
        bool, Meta(description="A collection that is closed stays so, whatever the record says.")
    ] = False


class WithdrawQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of a withdrawal."""

    reason: Reason


class NoQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A query without parameters."""


class Published(Struct, frozen=True, kw_only=True):
    """What is published of an object or a collection."""

    identifier: str
    state: Annotated[
        Literal["published", "waiting", "moved", "withdrawn"],
        Meta(description="`waiting`: until one of its images is published."),
    ]
    revision: Revision
    changed: Annotated[bool, Meta(description="False: it was like that before.")]
    address: Annotated[
        str, Meta(description="Of its newest document at the edge; empty if it has none.")
    ]
    missing_images: Annotated[
        tuple[str, ...], Meta(description="Left out until they are published.")
    ]
    unread_pages: Annotated[int, Meta(description="Its pages that OCR has yet to read.", ge=0)]
    unread_reason: Annotated[
        str,
        Meta(description="Why nobody reads them; empty if they are being read, or none is left."),
    ]


class Caller(Struct, frozen=True, kw_only=True):
    """The caller, what they may change, and whether texts are proposed to them."""

    caller: Annotated[
        str, Meta(description="ARN of a role or user; of a token, its issuer and subject.")
    ]
    changes_everything: Annotated[
        bool, Meta(description="True: also what belongs to no collection.")
    ]
    collections: Annotated[
        tuple[str, ...],
        Meta(description="The collections of the caller's department; `*`: all of them."),
    ]
    proposes_texts: Annotated[
        bool, Meta(description="True: a program proposes alternative texts here.")
    ]


class Moved(Struct, frozen=True, kw_only=True):
    """A previous identifier."""

    identifier: str
    target: str
    revision: Revision


class Entry(Struct, frozen=True, kw_only=True):
    """A change of an object or a collection."""

    revision: Revision
    changed_at: Moment
    changed_by: Annotated[
        str, Meta(description="Who changed it through this API; empty for commands.")
    ]
    state: Literal["described", "redirect", "gone"]
    summary: Annotated[str, Meta(description="Its title then, its target or the reason.")]
    access: Annotated[
        str, Meta(description="The rule of access that it had as a collection; empty: none.")
    ] = ""


class RecordQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of a record."""

    revision: Annotated[
        int,
        Meta(
            ge=0,
            le=9_999_999_999,
            description="An earlier revision, as the history lists them, which comes without an "
            "ETag; 0: the newest.",
        ),
    ] = 0


class HistoryQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of a history."""

    before: Annotated[
        int, Meta(ge=0, le=9_999_999_999, description="Only changes before this revision; 0: all.")
    ] = 0
    limit: Annotated[int, Meta(ge=1, le=100, description="How many to list at most.")] = 20


class History(Struct, frozen=True, kw_only=True):
    """Changes, the newest first."""

    entries: tuple[Entry, ...]


class Publish(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A publication to make again, from its record and the images as they are now."""

    identifier: Identifier


class RenameObject(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="object"
):
    """Another identifier for an object or a collection."""

    old: Identifier
    new: Identifier


class RenameImage(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="image"
):
    """Another identifier for an image, whose master is ingested again."""

    old: Identifier
    new: Identifier
    replace_withdrawn: Annotated[
        bool, Meta(description="Take `new` even if another image was withdrawn under it, for good.")
    ] = False


Note = Annotated[str, Meta(max_length=1_000, description="Why, for curators; nobody else sees it.")]


class RedirectOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What redirects may replace, and lead to."""

    replace_live: Annotated[bool, Meta(description="Even if it is a live image.")] = False
    replace_withdrawn: Annotated[
        bool, Meta(description="Even if an image was withdrawn under it, for good.")
    ] = False
    allow_dangling: Annotated[
        bool, Meta(description="Even if the target is an image that is yet to come.")
    ] = False


class SetRedirect(RedirectOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the addresses of an image that was are to lead."""

    target: Identifier
    note: Note = ""


class RedirectRecord(Struct, frozen=True, kw_only=True):
    """A redirect."""

    identifier: str
    target: str
    note: str
    revision: Revision
    changed_at: Moment


class RedirectsQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query for redirects."""

    target: Identifier
    limit: Limit = 100


class RedirectList(Struct, frozen=True, kw_only=True):
    """Redirects to one target, in no order."""

    redirects: tuple[RedirectRecord, ...]


class ImageRecord(Struct, frozen=True, kw_only=True):
    """What an identifier answers as an image."""

    identifier: str
    state: Literal["live", "redirect", "gone"]
    revision: Revision
    changed_at: Moment
    info: Address | UnsetType = UNSET
    width: Annotated[int, Meta(description="In pixels.")] | UnsetType = UNSET
    height: Annotated[int, Meta(description="In pixels.")] | UnsetType = UNSET
    master_key: str | UnsetType = UNSET
    target: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    access: str | UnsetType = UNSET


class Restore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A withdrawn image to bring back from its master."""

    identifier: Identifier


class Upload(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that is to be uploaded."""

    bytes: Annotated[int, Meta(ge=1, description="Its exact size: the address takes no other.")]
    content_type: Annotated[
        str, Meta(max_length=100, pattern=r"^[a-zA-Z0-9.+-]+/[a-zA-Z0-9.+-]+$")
    ] = "application/octet-stream"
    in_parts: Annotated[
        bool,
        Meta(
            description="Send it in parts: of a file above 5 GiB, or over a connection that breaks."
        ),
    ] = False
    parts: Annotated[
        str,
        Meta(
            max_length=1_024,
            description="Name of an upload in parts that goes on: the answer has the addresses of "
            "those that are missing, and once none is, the master is ingested.",
        ),
    ] = ""


class StartIngest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A master to ingest: one that is to be uploaded, or one that is there, once more."""

    key: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=700,
            description="Key of the master, mostly the name of its file; the same key again "
            "replaces the master.",
        ),
    ]
    upload: Upload | None = None
    identifier: (
        Annotated[
            str, Meta(min_length=1, max_length=255, description="Without it, the key decides.")
        ]
        | None
    ) = None
    replace_withdrawn: Annotated[
        bool, Meta(description="Take the identifier even if its image was withdrawn, for good.")
    ] = False
    replace_redirect: Annotated[
        bool, Meta(description="Take the identifier even if it redirects to another image.")
    ] = False


class UploadAddress(Struct, frozen=True, kw_only=True):
    """Where to send the file, by PUT, with exactly these headers and no signature of your own."""

    address: str
    headers: dict[str, str]
    expires_at: Moment


class PartAddress(Struct, frozen=True, kw_only=True):
    """Where to send a part of the file, by PUT, with exactly these headers."""

    start: Annotated[int, Meta(description="Its first byte in the file, from 0.")]
    bytes: int
    address: str
    headers: dict[str, str]


class UploadParts(Struct, frozen=True, kw_only=True):
    """The parts of a file that are missing yet: all, or the first of them."""

    name: Annotated[str, Meta(description="Name of the upload, `upload.parts` of what goes on.")]
    stored_bytes: Annotated[int, Meta(description="Bytes of the parts that came.")]
    missing: tuple[PartAddress, ...]
    expires_at: Annotated[str, Meta(description="Of the addresses: RFC 3339, UTC.")]


class IngestQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The query of a list of masters."""

    state: Literal["unfinished", "published", "rejected", "failed", "withdrawn"]
    limit: Limit = 100


class Ingest(Struct, frozen=True, kw_only=True):
    """How far a master is."""

    key: str
    state: Annotated[
        Literal[
            "awaiting-upload",
            "unfinished",
            "published",
            "rejected",
            "failed",
            "withdrawn",
            "superseded",
        ],
        Meta(description="Of the master's newest version."),
    ]
    identifier: str | UnsetType = UNSET
    code: (
        Annotated[
            str, Meta(description="Of a rejection (docs/reference/rejections.md) or a failure.")
        ]
        | UnsetType
    ) = UNSET
    sentence: str | UnsetType = UNSET
    advice: (
        Annotated[str, Meta(description="What a curator can do about a rejection.")] | UnsetType
    ) = UNSET
    notes: tuple[str, ...] = ()
    info: Address | UnsetType = UNSET
    upload: UploadAddress | UnsetType = UNSET
    parts: UploadParts | UnsetType = UNSET
    changed_at: Moment | UnsetType = UNSET


class IngestList(Struct, frozen=True, kw_only=True):
    """Masters of one state, the newest first; those that were dismissed are left out."""

    ingests: tuple[Ingest, ...]
