"""The picture of a page of a document: a level in one JPEG, of which no tile is decoded."""

from functools import partial

from vitrine.deliver.answer.images import Images
from vitrine.deliver.pdf.document import Picture
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.pyramids.pyramids import Pyramids
from vitrine.deliver.render.rendering import Rendering
from vitrine.deliver.tiles.stream import read_header
from vitrine.errors import InvalidRequest, Unavailable
from vitrine.iiif.format import JPEG
from vitrine.iiif.presentation.whole_object import choose_level
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest
from vitrine.iiif.rotation import Rotation
from vitrine.iiif.version import NEWEST
from vitrine.records import Live


class PagePictures:
    """Has the pictures of pages cut from coefficients. Belongs to one event loop."""

    def __init__(self, pyramids: Pyramids, rendering: Rendering, images: Images) -> None:
        self._pyramids = pyramids
        self._rendering = rendering
        self._images = images

    async def read(self, image: Live) -> Picture:
        """Return the largest stored level of an image that a page needs. Raises Unavailable."""
        request = _request_level(image, choose_level(image))
        try:
            return await self._pyramids.use(image, partial(self._cut, request))
        except InvalidRequest:
            # A pyramid from elsewhere, which iipsrv cannot read.
            return _as_picture(await self._images.derivative(image, request), b"")

    async def _cut(self, request: ResolvedRequest, pyramid: OpenPyramid) -> Picture:
        return _as_picture(await self._rendering.cut_strip(pyramid, request), pyramid.icc)


def _request_level(image: Live, level: int) -> ResolvedRequest:
    """Return the request for all of an image at the size of a level."""
    width, height = image.levels[level]
    return ResolvedRequest(
        version=NEWEST,
        region=Box(0, 0, image.width, image.height),
        width=width,
        height=height,
        rotation=Rotation(0, mirrored=False),
        quality="default",
        format=JPEG.name,
        canonical=f"full/{width},{height}/0/default.jpg",
    )


def _as_picture(jpeg: bytes, icc: bytes) -> Picture:
    header = read_header(jpeg)
    if header is None:
        raise Unavailable("what was made of a page is no JPEG")
    return Picture(jpeg, header.width, header.height, header.components, icc)
