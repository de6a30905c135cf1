"""The objects of a PDF: how they are written one after the other, and found again at its end."""

import zlib
from array import array
from collections.abc import Mapping, Sequence

Value = str
"""A value in the syntax of PDF, in ASCII."""
_BEGIN = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_OFFSET_BYTES = 6
_FREE, _IN_USE = b"\0", b"\1"


class PdfObjects:
    """Writes objects, and knows where each begins.

    What was written is taken away piece by piece: what stays is eight bytes for each object.
    """

    def __init__(self) -> None:
        self._pieces = [_BEGIN]
        self._length = len(_BEGIN)
        self._offsets = array("Q", [0])

    def reserve(self) -> int:
        """Return the number of an object that is written later."""
        self._offsets.append(0)
        return len(self._offsets) - 1

    def write(self, value: Value, number: int = 0) -> int:
        """Write an object, under the number that was reserved for it or a new one; return that."""
        return self._write((value.encode("ascii"),), number)

    def write_stream(
        self, body: bytes, entries: Mapping[str, Value] | None = None, number: int = 0
    ) -> int:
        """Write a stream, compressed; as above."""
        entries = {**(entries or {}), "Filter": "/FlateDecode"}
        return self.write_stored((zlib.compress(body),), entries, number)

    def write_stored(
        self,
        body: Sequence[bytes],
        entries: Mapping[str, Value],
        number: int = 0,
    ) -> int:
        """Write the pieces of a stream as they are; as above."""
        length = sum(map(len, body))
        head = f"{dictionary({**entries, 'Length': str(length)})}\nstream\n".encode("ascii")
        return self._write((head, *body, b"\nendstream"), number)

    def take(self) -> bytes:
        """Return what was written since the last call."""
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken

    def end(self, trailer: Mapping[str, Value]) -> bytes:
        """Return the last bytes of the file: where each object begins (7.5.8), and the trailer."""
        number, begin = self.reserve(), self._length
        self._offsets[number] = begin
        rows = bytearray(_FREE + bytes(_OFFSET_BYTES))
        for offset in self._offsets[1:]:
            rows += _IN_USE + offset.to_bytes(_OFFSET_BYTES, "big")
        entries = {
            "Type": "/XRef",
            "Size": str(len(self._offsets)),
            "W": f"[1 {_OFFSET_BYTES} 0]",
            **trailer,
        }
        self.write_stream(bytes(rows), entries, number)
        self._pieces.append(f"startxref\n{begin}\n%%EOF\n".encode("ascii"))
        return self.take()

    def _write(self, body: Sequence[bytes], number: int) -> int:
        number = number or self.reserve()
        self._offsets[number] = self._length
        pieces = (f"{number} 0 obj\n".encode("ascii"), *body, b"\nendobj\n")
        self._length += sum(map(len, pieces))
        self._pieces += pieces
        return number


def reference(number: int) -> Value:
    """Return what names an object."""
    return f"{number} 0 R"


def references(numbers: Sequence[int]) -> Value:
    """Return an array of objects."""
    return f"[{' '.join(map(reference, numbers))}]"


def dictionary(entries: Mapping[str, Value]) -> Value:
    """Return a dictionary; an entry without a value is left out."""
    return f"<<{' '.join(f'/{name} {value}' for name, value in entries.items() if value)}>>"


def text_string(text: str) -> Value:
    """Return a text (7.9.2.2); "" for none."""
    return f"<FEFF{text.encode('utf-16-be', 'replace').hex().upper()}>" if text else ""


def number(value: float) -> Value:
    """Return a number with two decimals at most: a hundredth of a point is 3.5 µm."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
