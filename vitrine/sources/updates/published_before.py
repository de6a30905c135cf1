"""What is published of an object's canvases already, and how large their images are."""

from collections.abc import Sequence
from typing import Literal

from vitrine.catalogue.live_images import live_images
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Described
from vitrine.iiif.presentation.model import Canvas
from vitrine.text.transcription.page_text import MAX_SIDE, CanvasSize


def read_before(
    publisher: Publisher, identifier: str, what: Literal["text", "annotations"]
) -> dict[str, str]:
    """Return the names of the texts, or annotations, that an object has now, by `shown_on`."""
    match publisher.journal.latest(identifier):
        case Described(item=item) if hasattr(item, "canvases"):
            found = {shown_on(one): getattr(one, what) for one in item.canvases}
            return {shown: name for shown, name in found.items() if name}
    return {}


def read_sizes(publisher: Publisher, canvases: Sequence[Canvas]) -> dict[int, CanvasSize]:
    """Return the sizes of images that are published, by the places of their canvases, from 0."""
    names = {canvas.image for canvas in canvases} - {""}
    images = live_images(publisher.shown, names)
    return {
        number: CanvasSize(image.width, image.height)
        for number, canvas in enumerate(canvases)
        if (image := canvas.elsewhere or images.get(canvas.image))
        and min(image.width, image.height) >= 1
        and max(image.width, image.height) <= MAX_SIDE
    }


def shown_on(canvas: Canvas) -> str:
    """Return the image of a canvas, by its identifier or by its address elsewhere."""
    return canvas.elsewhere.address if canvas.elsewhere else canvas.image
