"""What of each object and each list an index needs again, in files instead of memory."""

from array import array
from collections.abc import Iterator
from pathlib import Path

import msgspec

from vitrine.site.pages.cards import Card

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Card).decode


class KeptCards:
    """Cards of objects by number; in memory are 8 bytes of each."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._places = array("Q")
        """Where a card begins in the file, plus 1; 0 for none."""
        self._end = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, number: int, card: Card) -> None:
        """Keep a card."""
        if number >= len(self._places):
            self._places.frombytes(bytes(8 * (number + 1 - len(self._places))))
        self._places[number] = self._end + 1
        self._end += self._file.write(_encode(card) + b"\n")
        self._count += 1

    def read(self, number: int) -> bytes:
        """Return a card as JSON; empty for none."""
        place = self._places[number] if number < len(self._places) else 0
        if not place:
            return b""
        self._file.seek(place - 1)
        return self._file.readline().rstrip()

    def card(self, number: int) -> Card:
        """Return a card that is kept."""
        return _decode(self.read(number))

    def groups(self, size: int) -> Iterator[tuple[int, list[bytes]]]:
        """Yield the cards of numbers together that give the same divided by `size`, and that."""
        for first in range(0, len(self._places), size):
            cards = [self.read(number) for number in range(first, first + size)]
            if any(cards):
                yield first // size, cards

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class KeptNumbers:
    """Lists of numbers below 2 ** 32 by name; in memory is where each is."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w+b")
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    def add(self, name: str, numbers: "array[int]") -> None:
        """Keep a list."""
        self._places[name] = self._end, len(numbers)
        self._end += self._file.write(numbers.tobytes())

    def read(self, name: str) -> "array[int]":
        """Return a list, which is empty if none was kept."""
        place, count = self._places.get(name, (0, 0))
        numbers = array("I")
        self._file.seek(place)
        numbers.frombytes(self._file.read(count * numbers.itemsize))
        return numbers

    def count(self, name: str) -> int:
        """Return how many numbers a list has."""
        return self._places.get(name, (0, 0))[1]

    def close(self) -> None:
        """Close the file."""
        self._file.close()
