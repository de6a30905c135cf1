"""The picture in a TIFF, and files in which libvips sees just that picture."""

from dataclasses import dataclass

from vitrine.ingest.inspect.formats.picture_format import PictureFormat
from vitrine.ingest.inspect.formats.tiff_file import malformed_is_rejected, tiff_reader
from vitrine.ingest.inspect.formats.tiff_format import find_largest, planes_of
from vitrine.ingest.inspect.formats.tiff_strips import Strips
from vitrine.ingest.inspect.formats.tiff_view import plane_heads, whole_head
from vitrine.ingest.inspect.master_bytes import MasterBytes, Prefixed


@dataclass(frozen=True)
class TiffPicture:
    """The largest picture. `views` is one file, or one for each separate plane."""

    picture_format: PictureFormat
    strips: Strips
    views: list[Prefixed]


def read_tiff(file: MasterBytes, most_pages: int, most_pixels: int) -> TiffPicture:
    """Read the largest picture from the directories. Raises MasterRejected."""
    with malformed_is_rejected(most_pages):
        picture_format, page, strips = find_largest(tiff_reader(file, most_pages), most_pixels)
        heads = (
            plane_heads(picture_format, page, strips)
            if planes_of(page) > 1
            else [whole_head(picture_format, page, strips)]
        )
    return TiffPicture(picture_format, strips, [Prefixed(head, file) for head in heads])
