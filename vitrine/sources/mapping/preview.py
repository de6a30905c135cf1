"""Objects as they would look: pictures of the masters' files, and manifests. Nothing is sent."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import structs

from vitrine.iiif.presentation import version3
from vitrine.iiif.presentation.image_resource import ImageResource, describe_image
from vitrine.iiif.presentation.model import Canvas
from vitrine.iiif.size import Limits
from vitrine.sources.mapping.mapping_file import BUCKET
from vitrine.sources.mapping.to_objects import MappedObject, RowNote

BASE = "https://images.example.org"
"""Beginning of the addresses in a manifest that has none yet."""
MAX_VIEWS = 24
"""Views of an object whose pictures are drawn."""
SIDE = 640
"""Pixels of the longer side of a picture."""
_TILE = 256
"""Pixels of a side; the last level fits into one."""


@dataclass(frozen=True)
class CanvasPreview:
    """A canvas, and the file of its picture in the folder; or the reason why it has no picture."""

    canvas: Canvas
    picture: str
    fault: str = ""


@dataclass(frozen=True)
class PreviewedObject:
    """What a page shows of an object."""

    mapped: MappedObject
    views: Sequence[CanvasPreview]
    notes: Sequence[RowNote]
    manifest: Mapping[str, Any]
    """Version 3, without the pages whose images cannot be read."""


@dataclass(frozen=True)
class _Foreseen:
    """The pyramid that a master will have."""

    width: int
    height: int
    tile_width = tile_height = _TILE

    @property
    def levels(self) -> Sequence[tuple[int, int]]:
        sizes = [(self.width, self.height)]
        while max(sizes[-1]) > _TILE:
            scale = 2 ** len(sizes)
            sizes.append((-(-self.width // scale), -(-self.height // scale)))
        return sizes


def choose(
    found: Iterable[MappedObject | RowNote], identifiers: Collection[str], most: int
) -> Iterator[tuple[MappedObject, Sequence[RowNote]]]:
    """Yield objects with the notes about them: those named, or as many from the beginning."""
    notes: list[RowNote] = []
    for one in found:
        if isinstance(one, RowNote):
            notes.append(one)
            continue
        if not identifiers or one.item.identifier in identifiers:
            # Notes come before their object, those about earlier rows too.
            yield one, [note for note in notes if note.row >= one.row]
            most -= 1
        notes = []
        if most == 0:
            return


def draw_object(
    mapped: MappedObject, notes: Sequence[RowNote], folder: Path, limits: Limits
) -> PreviewedObject:
    """Write the pictures of an object to `folder`. Raises OSError, ImportError without libvips."""
    views: list[CanvasPreview] = []
    images: dict[str, ImageResource] = {}
    for place, canvas in enumerate(mapped.item.canvases):
        file = mapped.files.get(canvas.image)
        picture = f"{mapped.row}-{place}.jpg" if place < MAX_VIEWS else ""
        try:
            if canvas.elsewhere:
                raise ValueError(f"it is shown where it is: {canvas.elsewhere.address}")
            if not file:
                raise ValueError("there is no file of this image")
            if file.startswith(BUCKET):
                raise ValueError(f"it is in a bucket: {file}")
            size = _draw(Path(file), folder / picture if picture else None)
        except ValueError as error:
            views.append(CanvasPreview(canvas, "", str(error)))
            continue
        images[canvas.image] = describe_image(
            canvas.image, _Foreseen(*size), limits, downloads=True
        )
        views.append(CanvasPreview(canvas, picture))
    return PreviewedObject(mapped, views, notes, _manifest(mapped, images))


def _manifest(mapped: MappedObject, images: Mapping[str, ImageResource]) -> Mapping[str, Any]:
    shown = tuple(
        canvas for canvas in mapped.item.canvases if canvas.elsewhere or canvas.image in images
    )
    item = structs.replace(mapped.item, canvases=shown)
    return version3.build_manifest(item, images, BASE) if shown else {}


def _draw(file: Path, target: Path | None) -> tuple[int, int]:
    """Write a small picture of a file; return its own size. Raises ValueError, naming why not."""
    import pyvips

    try:
        header = pyvips.Image.new_from_file(str(file))
        if target:
            small = pyvips.Image.thumbnail(str(file), SIDE, height=SIDE, size="down")
            small.jpegsave(str(target), Q=85, keep="none")
    except pyvips.Error as error:
        first = str(error).strip().splitlines()[0]
        raise ValueError(f"{file.name} cannot be shown: {first}") from None
    turned = header.get_typeof("orientation") and header.get("orientation") >= 5
    size = (header.width, header.height)
    return (size[1], size[0]) if turned else size
