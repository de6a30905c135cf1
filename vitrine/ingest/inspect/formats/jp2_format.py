"""A JPEG 2000 file or codestream: its picture, and how its samples make colours."""

from dataclasses import dataclass

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import MasterNote, extra_samples_dropped, pages_left_out
from vitrine.ingest.inspect.formats.jp2_boxes import Jp2Box, contents, find_boxes
from vitrine.ingest.inspect.formats.jp2_codestream import Codestream, read_codestream
from vitrine.ingest.inspect.formats.jp2_header import (
    Encoding,
    Jp2Header,
    channels_of,
    read_jp2_header,
)
from vitrine.ingest.inspect.formats.picture_format import COLOUR_BANDS, Colour, PictureFormat
from vitrine.ingest.inspect.master_bytes import MasterBytes
from vitrine.store.ranged import read_exactly

_RAW = b"\xff\x4f\xff\x51"
_BRANDS = frozenset({b"jp2 ", b"jpx ", b"jpxb", b"jph "})
_GUESSES: dict[int, Colour] = {1: "gray", 2: "gray", 3: "rgb"}
_MAX_INDEX_BITS = 8
_MAX_TYPE_BYTES = 4_096


@dataclass(frozen=True, kw_only=True)
class Jp2Picture:
    """The first picture. Its channels are its components, or the columns of its palette."""

    picture_format: PictureFormat
    codestream: Codestream
    encoding: Encoding
    palette: tuple[bytes, ...]
    chosen: tuple[int, ...]
    """Channels that are converted: the colours in their order, then transparency, if any."""


def read_jp2(file: MasterBytes, most_pixels: int) -> Jp2Picture:
    """Read a JPEG 2000 from its boxes and the main header of its codestream.

    Raises MasterRejected.
    """
    if read_exactly(file, 0, len(_RAW)) == _RAW:
        header, streams = Jp2Header(), [Jp2Box(b"jp2c", 0, file.size)]
    else:
        header, streams = _read_boxes(file)
    stream = read_codestream(file, streams[0].start, streams[0].length, most_pixels)
    if header.size not in (None, (stream.width, stream.height, stream.components)):
        raise rejections.unreadable_file(
            f"width, height and components are {header.size} by the file's header, "
            f"{(stream.width, stream.height, stream.components)} by the codestream's"
        )
    if header.palette and stream.bits > _MAX_INDEX_BITS:
        raise rejections.unsupported_depth(f"a JPEG 2000 palette of {stream.bits}-bit indexes")
    channels = len(header.palette[0]) if header.palette else stream.components
    colour = header.colour or _guess_colour(channels, stream.coding.transformed)
    colours, alpha, premultiplied = channels_of(header, channels, COLOUR_BANDS[colour])
    chosen = (*colours, *(() if alpha is None else (alpha,)))
    bits = 8 if stream.bits <= 8 or header.palette else 16
    picture_format = PictureFormat(
        pages=len(streams),
        width=stream.width,
        height=stream.height,
        colour=colour,
        bits=bits,
        compression=stream.coding.name,
        extra_bands=0 if alpha is None else 1,
        alpha=None if alpha is None else 0,
        premultiplied=premultiplied,
        icc=header.icc,
        decoder_bytes=stream.decoder_bytes,
        notes=_list_notes(channels - len(chosen), len(streams)),
    )
    return Jp2Picture(
        picture_format=picture_format,
        codestream=stream,
        encoding=header.encoding,
        palette=header.palette,
        chosen=chosen,
    )


def _read_boxes(file: MasterBytes) -> tuple[Jp2Header, list[Jp2Box]]:
    boxes = find_boxes(file)
    if len(boxes) < 2 or boxes[1].name != b"ftyp":
        raise rejections.unreadable_file("the JPEG 2000 has no file type box")
    types = contents(file, boxes[1])[:_MAX_TYPE_BYTES]
    brands = {types[:4], *(types[at : at + 4] for at in range(8, len(types), 4))}
    if not brands & _BRANDS:
        name = types[:4].decode("ascii", "backslashreplace").strip()
        raise rejections.unsupported_format(f"JPEG 2000 ({name})")
    streams = [box for box in boxes if box.name == b"jp2c"]
    header = next((box for box in boxes if box.name == b"jp2h"), None)
    if not streams or header is None:
        raise rejections.unreadable_file("the JPEG 2000 has no header or no codestream")
    return read_jp2_header(contents(file, header)), streams


def _guess_colour(channels: int, transformed: bool) -> Colour:
    """Guess the colours of a raw codestream, which names none.

    Four components may be CMYK, unless three of them were mixed.
    """
    if channels >= 3 and transformed:
        return "rgb"
    if channels not in _GUESSES:
        raise rejections.unsupported_colour(f"a JPEG 2000 of {channels} unnamed components")
    return _GUESSES[channels]


def _list_notes(dropped: int, pictures: int) -> tuple[MasterNote, ...]:
    notes: tuple[MasterNote, ...] = ()
    if dropped:
        notes += (extra_samples_dropped(f"{dropped} of the channels"),)
    if pictures > 1:
        notes += (pages_left_out(f"{pictures} codestreams"),)
    return notes
