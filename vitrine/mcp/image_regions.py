"""The tool `get_image_region`: a part of an image, as large as a model looks at pictures."""

from dataclasses import dataclass

from mcp.server.mcpserver.exceptions import ToolError

from vitrine.errors import InvalidRequest
from vitrine.iiif.paths import image_path
from vitrine.iiif.region import parse_region
from vitrine.iiif.version import NEWEST
from vitrine.mcp.visitor import Visitor

MAX_SIDE = 1_024
"""Pixels of the longer side. Models look at no more; a larger one only costs."""
MAX_BYTES = 3 << 20
"""A Lambda's answer has at most 6 MB, in which an image is Base64."""


@dataclass(frozen=True)
class ImageRegion:
    """A JPEG, and the address where anybody gets it."""

    address: str
    jpeg: bytes


async def get_image_region(
    visitor: Visitor, image: str, region: str, longest_side: int
) -> ImageRegion:
    """Return a part of an image whose longer side has at most `longest_side` pixels.

    Raises ToolError.
    """
    try:
        parse_region(region)
    except InvalidRequest as error:
        raise ToolError(f"{error}.") from None
    size = f"!{longest_side},{longest_side}"
    path = f"{image_path(NEWEST, image)}/{region}/{size}/0/default.jpg"
    answer = await visitor.read(path, MAX_BYTES)
    if answer.content_type != "image/jpeg":
        raise ToolError(f"{answer.address} answers {answer.content_type} and no image.")
    return ImageRegion(answer.address, answer.body)
