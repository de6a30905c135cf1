"""Share links: a restricted image, or a part of it, for anybody who has the link."""

from datetime import UTC, datetime
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.problems import Problem
from vitrine.api.resources import Identifier, Moment
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.new_share_link import MAX_DAYS, REGION, LinkTerms, make_share_link
from vitrine.iiif.format import FORMATS
from vitrine.store.clock import rfc3339
from vitrine.store.ticket_keys import read_ticket_keys

Format = Literal["jpg", "png", "webp", "gif", "tif", "avif", "jxl"]
assert {*get_args(Format)} == {*FORMATS}


class MakeLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a link is to show, and how long."""

    identifier: Identifier
    days: Annotated[int, Meta(ge=1, le=MAX_DAYS, description="How long it is valid.")] = 30
    region: Annotated[
        str,
        Meta(
            pattern=f"^({REGION})$",
            description="The part that it shows: `full`, or x,y,w,h in pixels of the image.",
        ),
    ] = "full"
    size: Annotated[
        int,
        Meta(
            ge=0,
            le=999_999_999,
            description="Most pixels of the longer side of the whole image; 0: no limit.",
        ),
    ] = 0
    formats: Annotated[
        tuple[Format, ...], Meta(description="The formats that it shows; empty: any.")
    ] = ()


class MadeLink(Struct, frozen=True, kw_only=True):
    """A link to a restricted image. Nobody stores it: it is in this answer only."""

    identifier: str
    link: Annotated[str, Meta(description="Its id, by which `vitrine access revoke` ends it.")]
    expires_at: Moment
    picture: Annotated[str, Meta(description="Address of the picture.")]
    info: Annotated[str, Meta(description="Address of the image information; empty for a part.")]


def make_link(call: Call) -> OperationResult:
    """Return a new link to an image of the caller's."""
    body: MakeLink = call.body
    services, identifier = call.services, parse_identifier(body.identifier)
    publisher = services.publisher
    services.rights.check(identifier, services.register.table.get(identifier))
    keys = read_ticket_keys(publisher.records).keys
    if not keys.secrets:
        raise Problem("keys-missing")
    made = make_share_link(
        publisher.shown.get(identifier),
        identifier,
        LinkTerms(days=body.days, region=body.region, size=body.size, formats=body.formats),
        keys,
        services.edge_url,
    )
    content = MadeLink(
        identifier=made.identifier,
        link=made.link,
        expires_at=rfc3339(datetime.fromtimestamp(made.expires_at, UTC)),
        picture=made.picture,
        info=made.info,
    )
    return OperationResult(content=content)


OPERATIONS = (
    Operation(
        name="makeLink",
        method="POST",
        path="/links",
        summary="Make a share link to a restricted image, which shows it until the link ends.",
        act=make_link,
        body=MakeLink,
        example={"identifier": "letter-1-recto", "days": 14, "size": 1_000},
        answers={200: MadeLink},
        problems=(
            *("no-image", "open-image", "closed-image", "size-too-small", "region-outside"),
            *("keys-missing", "collection-forbidden"),
        ),
        is_question=True,
    ),
)
