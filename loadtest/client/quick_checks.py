"""Is an answer what was asked for? Cheap looks during a load, thorough ones outside of it."""

import io
import json

from PIL import Image

from loadtest.client.response_reader import HttpResponse
from loadtest.studies.delivery.delivery_requests import Ask

_SOI, _EOI = b"\xff\xd8\xff", b"\xff\xd9"


def fault_of(ask: Ask, response: HttpResponse) -> str:
    """What is wrong, "" if nothing: status, content type, first and last bytes of a JPEG."""
    if response.status != 200:
        return f"{response.status} {response.body[:200]!r}"
    kind = response.headers.get("content-type", "").partition(";")[0]
    if ask.kind == "info.json":
        return "" if kind in ("application/json", "application/ld+json") else f"it is {kind!r}"
    if kind != "image/jpeg":
        return f"it is {kind!r}"
    if not (response.body.startswith(_SOI) and response.body.endswith(_EOI)):
        return "the JPEG is not whole"
    return ""


def thorough_fault_of(ask: Ask, response: HttpResponse) -> str:
    """As `fault_of`, and everything is decoded."""
    fault = fault_of(ask, response)
    if fault:
        return fault
    try:
        if ask.kind == "info.json":
            return "" if json.loads(response.body)["width"] else "it has no width"
        with Image.open(io.BytesIO(response.body)) as image:
            image.load()
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"it cannot be decoded: {error!r}"
    return ""
