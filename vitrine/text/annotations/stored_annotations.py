"""Annotations as they are kept: gzipped JSON of what was read of a page, and for which canvas."""

import gzip
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from vitrine.iiif.presentation.remarks import CanvasPlace, Remark
from vitrine.text.annotations.scaled_outlines import scale_outline
from vitrine.text.slugs import digest_text
from vitrine.text.transcription.page_text import CanvasSize
from vitrine.text.transcription.stored_text import scale_box

_FORM = 1
"""Part of the names: another one lets all files be stored again."""
_NAME_DIGITS = 32


class _StoredAnnotations(msgspec.Struct, frozen=True):
    width: int
    """Width of the canvas that the places are on, in pixels."""
    height: int
    remarks: tuple[Remark, ...]


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_StoredAnnotations)


def encode_remarks(remarks: list[Remark], canvas: CanvasSize) -> tuple[str, bytes]:
    """Return the name of some annotations, 32 hex digits of what they are, and their body."""
    encoded = _encoder.encode(_StoredAnnotations(canvas.width, canvas.height, tuple(remarks)))
    digest = hashlib.sha256(f"annotations {_FORM}\0".encode() + encoded).hexdigest()
    return digest[:_NAME_DIGITS], gzip.compress(encoded, compresslevel=6, mtime=0)


def decode_remarks(body: bytes, canvas: CanvasSize) -> dict[str, Remark]:
    """Return annotations for a canvas, whichever one they were read for, by their names there.

    On one of other proportions they are annotations of all of it. Raises msgspec.DecodeError and
    OSError for bytes of another form.
    """
    stored: _StoredAnnotations = _decoder.decode(gzip.decompress(body))
    named = dict(zip(_list_names(stored.remarks), stored.remarks, strict=True))
    if (stored.width, stored.height) == (canvas.width, canvas.height):
        return named
    if not canvas.has_proportions(stored.width, stored.height):
        return {
            name: msgspec.structs.replace(remark, places=(CanvasPlace(),))
            for name, remark in named.items()
        }
    across, down = canvas.width / stored.width, canvas.height / stored.height
    return {
        name: msgspec.structs.replace(
            remark, places=tuple(_scale(place, across, down, canvas) for place in remark.places)
        )
        for name, remark in named.items()
    }


def _list_names(remarks: Sequence[Remark]) -> Iterator[str]:
    """Yield a name for each annotation that stays when others come before it.

    That is of its own identifier, or else of what it says, and where. Those of the same name are
    counted.
    """
    counts: Counter[str] = Counter()
    for remark in remarks:
        name = remark.own_name or digest_text(_encoder.encode(_without_plain(remark)).decode())
        counts[name] += 1
        yield name if counts[name] == 1 else f"{name}-{counts[name]}"


def _without_plain(remark: Remark) -> Remark:
    """Return an annotation without what is read of its HTML: it may be read better one day."""
    bodies = tuple(msgspec.structs.replace(body, plain="") for body in remark.bodies)
    return msgspec.structs.replace(remark, bodies=bodies)


def _scale(place: CanvasPlace, across: float, down: float, canvas: CanvasSize) -> CanvasPlace:
    box = scale_box(place.box, across, down, canvas) if place.box else None
    if box and place.is_point:
        box = (box[0], box[1], 1, 1)
    shape = scale_outline(place.shape, across, down) if place.shape else ""
    return msgspec.structs.replace(place, box=box, shape=shape)
