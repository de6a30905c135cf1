"""The probe service: would this viewer see this image? (Authorization Flow 2.0, section 5)

The answer is 200 whatever it says; the status of the image is inside.
"""

import unicodedata
from collections.abc import Mapping
from typing import Any

from vitrine.access.rights import Right
from vitrine.admit.exchange import Visit
from vitrine.admit.messages import ERRORS, probe_result
from vitrine.admit.services import Restricted
from vitrine.admit.tickets import place_ticket, token_rights
from vitrine.api.http import Response, json_response
from vitrine.iiif.address import image_path
from vitrine.iiif.version import NEWEST

LONGEST_IDENTIFIER = 1_024
_NOT_LET_IN, _WITHOUT_RIGHT = 401, 403


def answer_probe(visit: Visit, name: str, right: Right) -> Response:
    """Answer for the image that `image` names."""
    headers = {"access-control-allow-origin": "*"}
    return json_response(200, _judge(visit, name, right), headers)


def _judge(visit: Visit, name: str, right: Right) -> dict[str, Any]:
    identifier = visit.fields.get("image", "")
    image = None
    if 0 < len(identifier) <= LONGEST_IDENTIFIER:
        image = visit.services.restrictions.find(unicodedata.normalize("NFC", identifier))
    if image is None:
        return probe_result(404, texts=({"en": "There is no such image"}, {}))
    if not image.right:
        return probe_result(200)
    keys = visit.services.keys()
    authorization = visit.headers.get("x-viewer-authorization", "")
    rights = token_rights(authorization, keys, visit.now, visit.address)
    is_elsewhere = right.kind == "place" and not right.holds_at(visit.address)
    if image.right != name or rights is None or name not in rights or is_elsewhere:
        # Signing in would not help those who have; nor would it in another place.
        has_come = rights is not None or is_elsewhere
        return _deny(visit, right, image, _WITHOUT_RIGHT if has_come else _NOT_LET_IN)
    if right.kind != "place":
        return probe_result(200)
    # With a ticket in its address, the image opens also where cookies of others are blocked.
    ticket = place_ticket(keys, visit.now, name, right.hours, visit.address)
    where = f"{visit.base}/restricted/{name}/{ticket}{image_path(NEWEST, image.identifier)}"
    return probe_result(302, location={"id": where, "type": "ImageService3", "profile": "level2"})


def _deny(visit: Visit, right: Right, image: Restricted, status: int) -> dict[str, Any]:
    heading, note = ERRORS["missingAspect" if status == _NOT_LET_IN else "invalidAspect"]
    texts: tuple[Mapping[str, str], Mapping[str, str]] = (right.heading, right.note)
    if not right.heading:
        texts = ({"en": heading}, {"en": note})
    substitute = None
    if image.is_public_small:
        service = f"{visit.base}{image_path(NEWEST, image.identifier)}"
        substitute = {
            "id": f"{service}/full/max/0/default.jpg",
            "type": "Image",
            "format": "image/jpeg",
            "label": {"en": ["The image at a small size"]},
            "service": [{"id": service, "type": "ImageService3", "profile": "level2"}],
        }
    return probe_result(status, texts=texts, substitute=substitute)
