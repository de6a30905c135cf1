"""The picture in a master, described in the same words for every file format."""

from dataclasses import dataclass, field
from typing import Literal

from vitrine.ingest.inspect.curator_notes import MasterNote

Colour = Literal["gray", "rgb", "cmyk", "lab"]
Samples = Literal["unsigned", "float", "lab", "icc-lab"]
"""Encodings of colours. `lab`: a and b are signed; `icc-lab`: they are offset."""

COLOUR_BANDS: dict[Colour, int] = {"gray": 1, "rgb": 3, "cmyk": 4, "lab": 3}


@dataclass(frozen=True, kw_only=True)
class PictureFormat:
    """Size, colours and coding of a picture, as its header says. Sizes in pixels as stored."""

    page: int = 0
    """The largest page: thumbnails and details come before or after it."""
    pages: int = 1
    width: int
    height: int
    colour: Colour
    bits: int
    """Bits per sample as decoded: 8, 16 or 32 (a bilevel or 4-bit image decodes to 8)."""
    samples: Samples = "unsigned"
    compression: str
    extra_bands: int = 0
    """Samples beyond the colours."""
    alpha: int | None = None
    """Number of the extra sample that is transparency, if one is."""
    premultiplied: bool = False
    """The decoder returns colours that are multiplied by transparency."""
    orientation: int = 1
    """EXIF orientation, 1 to 8."""
    icc: bytes | None = field(default=None, repr=False)
    """The embedded colour profile."""
    made_icc: bytes | None = field(default=None, repr=False)
    """A profile made of what the file says about its colours; None for sRGB, or with a profile."""
    decoder_bytes: int = 0
    """Memory that the decoder needs: far more than some rows if it cannot work row by row."""
    decoder_seconds: float = 0.0
    """Longest time that decoding takes beyond what any picture of its size does."""
    notes: tuple[MasterNote, ...] = ()
