"""The probe service: would this viewer see this image? (Authorization Flow 2.0, section 5)

The answer is 200 whatever it says; the status of the image is inside.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any

from vitrine.access.rights import Right
from vitrine.access.tickets import narrow_to_image, sign_for_path
from vitrine.api.http import ApiResponse, json_response
from vitrine.authorization.exchange import Visit
from vitrine.authorization.messages import ERRORS, probe_result
from vitrine.authorization.services import Restricted, record_admissions
from vitrine.authorization.tickets import new_ticket, token_rights
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST

MAX_IDENTIFIER_LENGTH = 1_024
_NOT_LET_IN, _WITHOUT_RIGHT = 401, 403
Texts = tuple[Mapping[str, str], Mapping[str, str]]
"""A heading and a note, by language."""


def answer_probe(visit: Visit, name: str, right: Right) -> ApiResponse:
    """Answer for the image that `image` names."""
    headers = {"access-control-allow-origin": "*"}
    return json_response(200, _judge_visit(visit, name, right), headers)


def _judge_visit(visit: Visit, name: str, right: Right) -> dict[str, Any]:
    identifier = visit.fields.get("image", "")
    image = None
    if 0 < len(identifier) <= MAX_IDENTIFIER_LENGTH:
        image = visit.services.restrictions.find(unicodedata.normalize("NFC", identifier))
    if image is None:
        return probe_result(404, texts=({"en": "There is no such image"}, {}))
    if image.shows == "everything":
        return probe_result(200)
    if not image.right:
        heading, note = ERRORS["unshown"]
        return _deny_access(visit, image, _WITHOUT_RIGHT, ({"en": heading}, {"en": note}))
    keys = visit.services.keys()
    authorization = visit.headers.get("x-viewer-authorization", "")
    origin = visit.headers.get("origin", "")
    rights = token_rights(authorization, keys, visit.now, visit.address, origin)
    is_elsewhere = right.kind == "place" and not right.holds_at(visit.address)
    if image.right != name or rights is None or name not in rights or is_elsewhere:
        # Signing in would not help those who have; nor would it in another place.
        has_come = rights is not None or is_elsewhere
        status = _WITHOUT_RIGHT if has_come else _NOT_LET_IN
        return _deny_access(visit, image, status, _say_why(right, status))
    if right.kind != "place":
        # Its own address shows everybody the small image.
        shown = image_path(NEWEST, image.identifier)
        where = f"{visit.base}/restricted/{name}{shown}"
        return _lead_to(where) if image.shows == "small" else probe_result(200)
    # With a ticket in its address, the image opens also where cookies of others are blocked.
    whole = new_ticket(visit.now, {name: right}, address=visit.address)
    ticket, path = narrow_to_image(whole, image.identifier), image_path(NEWEST, image.identifier)
    text = sign_for_path(ticket, path, keys)
    if not text:
        return _lead_to(f"{visit.base}/restricted/{name}{path}")
    record_admissions(visit.services, ticket, {name: right})
    return _lead_to(f"{visit.base}/restricted/{name}/{text}{path}")


def _lead_to(where: str) -> dict[str, Any]:
    return probe_result(302, location={"id": where, "type": "ImageService3", "profile": "level2"})


def _say_why(right: Right, status: int) -> Texts:
    """Return the heading and the note for somebody who is not let in."""
    if right.heading:
        return right.heading, right.note
    heading, note = ERRORS["missingAspect" if status == _NOT_LET_IN else "invalidAspect"]
    return {"en": heading}, {"en": note}


def _deny_access(visit: Visit, image: Restricted, status: int, texts: Texts) -> dict[str, Any]:
    substitute = None
    if image.shows == "small":
        service = f"{visit.base}{image_path(NEWEST, image.identifier)}"
        substitute = {
            "id": f"{service}/full/max/0/default.jpg",
            "type": "Image",
            "format": "image/jpeg",
            "label": {"en": ["The image at a small size"]},
            "service": [{"id": service, "type": "ImageService3", "profile": "level2"}],
        }
    return probe_result(status, texts=texts, substitute=substitute)
