"""The invisible text over the pictures: it can be found, selected and read aloud."""

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from vitrine.deliver.pdf.glyphless_font import ADVANCE, ASCENT, DESCENT, UNITS, write_font
from vitrine.deliver.pdf.objects import (
    PdfObjects,
    Value,
    dictionary,
    number,
    reference,
    references,
)

FONT = "F"
"""Name of the font in the resources of pages."""
MAX_CODES = (1 << 16) - 1
"""Different characters of a document; a text with more of them goes without those that come last.
"""
_INVISIBLE = "3 Tr"
_EM = ADVANCE / UNITS
_NARROWEST = 0.2
"""Width of a character by the height of its box, below which a word stands on end: of characters
that are narrower, readers drop every second one of two that are the same."""
_RIGHT_TO_LEFT = ("R", "AL")
_ENTRIES = 100
"""Entries of one list in a CMap (Adobe Technical Note 5411)."""
_CMAP = """/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def
/CMapName /Adobe-Identity-UCS def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
{entries}
endcmap
CMapName currentdict /CMap defineresource pop
end
end"""


class PlacedWord(NamedTuple):
    """A word and its box on a page, in points from the lower left corner."""

    text: str
    x: float
    y: float
    width: float
    height: float
    is_spaced: bool = True
    """False if no space follows: it is a sign of a script without spaces."""


class TextLayer:
    """The text of a document. Its characters get codes in the order in which they occur."""

    def __init__(self, objects: PdfObjects) -> None:
        self._objects = objects
        self._font = objects.reserve()
        self._codes: dict[str, int] = {}

    @property
    def resources(self) -> Mapping[str, Value]:
        """Resources of a page with text."""
        return {"Font": dictionary({FONT: reference(self._font)})}

    def draw(self, words: Iterable[PlacedWord]) -> str:
        """Return the operators that draw words; "" for none."""
        drawn = "\n".join(map(self._draw_word, words))
        return f"BT /{FONT} 1 Tf {_INVISIBLE}\n{drawn}\nET\n" if drawn else ""

    def _draw_word(self, word: PlacedWord) -> str:
        text = word.text
        if any(unicodedata.bidirectional(sign) in _RIGHT_TO_LEFT for sign in text):
            # Readers take the characters from left to right, and turn them round again.
            text = text[::-1]
        elif word.is_spaced:
            text += " "
        codes = "".join(f"{self._code(sign):04X}" for sign in text)
        return f"{' '.join(map(number, _place(word)))} Tm <{codes}> Tj"

    def _code(self, sign: str) -> int:
        code = self._codes.get(sign)
        if code is None:
            code = len(self._codes) + 1 if len(self._codes) < MAX_CODES else 0
            self._codes[sign] = code
        return code

    def end(self) -> None:
        """Write the font, after the last page."""
        objects, program = self._objects, write_font()
        if not self._codes:
            objects.write("null", self._font)
            return
        file = objects.write_stream(program, {"Length1": str(len(program))})
        descriptor = {
            "Type": "/FontDescriptor",
            "FontName": "/Glyphless",
            "Flags": "4",
            "FontBBox": f"[0 {DESCENT} {ADVANCE} {ASCENT}]",
            "ItalicAngle": "0",
            "Ascent": str(ASCENT),
            "Descent": str(DESCENT),
            "CapHeight": str(ASCENT),
            "StemV": "80",
            "FontFile2": reference(file),
        }
        # Every character is the one glyph.
        glyphs = objects.write_stream(bytes(2 * (len(self._codes) + 1)))
        descendant = {
            "Type": "/Font",
            "Subtype": "/CIDFontType2",
            "BaseFont": "/Glyphless",
            "CIDSystemInfo": "<</Registry (Adobe) /Ordering (Identity) /Supplement 0>>",
            "FontDescriptor": reference(objects.write(dictionary(descriptor))),
            "DW": str(ADVANCE),
            "CIDToGIDMap": reference(glyphs),
        }
        font = {
            "Type": "/Font",
            "Subtype": "/Type0",
            "BaseFont": "/Glyphless",
            "Encoding": "/Identity-H",
            "DescendantFonts": references([objects.write(dictionary(descendant))]),
            "ToUnicode": reference(objects.write_stream(self._write_cmap())),
        }
        objects.write(dictionary(font), self._font)

    def _write_cmap(self) -> bytes:
        """Return what says which character a code is (9.10.3)."""
        codes, lists = ((code, sign) for sign, code in self._codes.items() if code), []
        while some := list(islice(codes, _ENTRIES)):
            lines = [f"<{code:04X}> <{sign.encode('utf-16-be').hex()}>" for code, sign in some]
            lists += [f"{len(some)} beginbfchar", *lines, "endbfchar"]
        return _CMAP.format(entries="\n".join(lists)).encode("ascii")


def _place(word: PlacedWord) -> tuple[float, ...]:
    """Return the matrix that puts a word into its box (9.4.4)."""
    count = len(word.text)
    if word.height > word.width and word.width < _NARROWEST * word.height * count:
        down = word.height / (_EM * count)
        base = word.x - word.width * DESCENT / UNITS
        return 0, -down, word.width, 0, base, word.y + word.height
    base = word.y - word.height * DESCENT / UNITS
    return word.width / (_EM * count), 0, 0, word.height, word.x, base
