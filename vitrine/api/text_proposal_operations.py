"""Proposals of alternative texts, by a program of the institution's: nobody stores them."""

from typing import Annotated

from msgspec import Meta, Struct

from vitrine.api.operations import Call, Operation, OperationResult
from vitrine.api.problems import Problem
from vitrine.api.resources import Identifier
from vitrine.identify.identifier import parse_identifier
from vitrine.identify.public_image import visible_image
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST
from vitrine.records import Live

SIDE = 1_024
"""Pixels of the longer side of the picture that the program gets to see."""


class ProposeText(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An image that lacks an alternative text."""

    image: Identifier
    language: Annotated[
        str,
        Meta(
            max_length=35,
            pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$",
            description="BCP 47, such as en or pt-BR.",
        ),
    ]


class TextProposal(Struct, frozen=True, kw_only=True):
    """A text that nobody has accepted yet. It is plain text, and not stored."""

    text: str


def propose_text(call: Call) -> OperationResult:
    """Return what the program says about an image of the caller's."""
    body: ProposeText = call.body
    services, identifier = call.services, parse_identifier(body.image)
    if services.proposer is None:
        raise Problem("proposals-missing")
    services.rights.check(identifier, services.register.table.get(identifier))
    record = services.publisher.shown.get(identifier)
    if not isinstance(record, Live):
        raise Problem("no-image")
    if visible_image(record) is None:
        raise Problem(
            "proposal-failed", "Not everybody may see the image, so the program may not either."
        )
    picture = f"{image_path(NEWEST, record.identifier)}/full/!{SIDE},{SIDE}/0/default.jpg"
    text = services.proposer.propose(services.edge_url + picture, body.language)
    return OperationResult(content=TextProposal(text=text))


OPERATIONS = (
    Operation(
        name="proposeText",
        method="POST",
        path="/text-proposals",
        summary="Ask the institution's own program for an alternative text; nothing is stored.",
        act=propose_text,
        body=ProposeText,
        example={"image": "letter-1-recto", "language": "en"},
        answers={200: TextProposal},
        problems=(
            *("no-image", "proposals-missing", "proposal-failed"),
            "collection-forbidden",
        ),
        is_question=True,
    ),
)
