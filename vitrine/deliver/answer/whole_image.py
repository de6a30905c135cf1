"""A whole image at full resolution as one JPEG, in the memory of one strip."""

from collections.abc import AsyncGenerator
from functools import partial
from typing import NamedTuple

from vitrine.deliver.answer.embedding import Embedding
from vitrine.deliver.answer.limit import end_in_time, try_patiently
from vitrine.deliver.download.joining import (
    END,
    Joining,
    NotJoinable,
    Strip,
    read_strip,
)
from vitrine.deliver.download.strips import cut_strips
from vitrine.deliver.pyramids.open_pyramid import OpenPyramid
from vitrine.deliver.pyramids.pyramids import Pyramids
from vitrine.deliver.render.rendering import Rendering
from vitrine.errors import InvalidRequest
from vitrine.iiif.format import JPEG
from vitrine.iiif.request import ResolvedRequest
from vitrine.records import Live


class _OpenedStrips(NamedTuple):
    """What the first strip says of all of them."""

    pyramid: OpenPyramid
    strip: Strip
    head: bytes
    """Header of the whole JPEG, with its metadata."""


class WholeImages:
    """Has strips cut and joins them. Belongs to one event loop."""

    def __init__(
        self,
        pyramids: Pyramids,
        rendering: Rendering,
        embedding: Embedding,
        *,
        answer_seconds: float,
    ) -> None:
        """`answer_seconds` is what each strip but the first may take, with all its tries.

        nginx waits a little longer for the next bytes; it would hang up as a client does, and
        nobody would read why.
        """
        self._pyramids = pyramids
        self._rendering = rendering
        self._embedding = embedding
        self._answer_seconds = answer_seconds

    async def pieces(self, image: Live) -> AsyncGenerator[bytes]:
        """Yield the JPEG, strip by strip, all from the one object that was opened.

        Raises before the first piece: InvalidRequest if its tiles cannot be joined to one JPEG,
        Unavailable. Raises after it: Replaced if the store holds another object now, NotJoinable,
        Unavailable. Then what was yielded is no image.
        """
        strips = cut_strips(image)
        first = next(strips)
        opened = await self._pyramids.use(image, lambda pyramid: self._open_strips(pyramid, first))
        joining = Joining(opened.strip)
        yield b"".join((opened.head, opened.strip.coded))
        for request in strips:
            cut = partial(self._rendering.cut_strip, opened.pyramid, request)
            what = f"A strip of {opened.pyramid.file.key}"
            jpeg = await end_in_time(try_patiently(cut, what), self._answer_seconds)
            yield joining.follow(read_strip(jpeg, request.width, request.height))
        yield END

    async def _open_strips(self, pyramid: OpenPyramid, first: ResolvedRequest) -> _OpenedStrips:
        jpeg = await self._rendering.cut_strip(pyramid, first)
        try:
            strip = read_strip(jpeg, first.width, first.height)
        except NotJoinable as error:
            raise InvalidRequest(
                f"the tiles of this image cannot be joined to one JPEG ({error}): ask for regions "
                "of it"
            ) from None
        head = strip.head_of(pyramid.levels[0].height)
        return _OpenedStrips(pyramid, strip, await self._embedding.embed(pyramid, head, JPEG.name))
