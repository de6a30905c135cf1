"""The terms of an index while it is made, in memory that does not grow with the collection.

Terms are words, stems, and `facet:value`. What many objects say of them is written to sorted runs
in a folder, which are read again at once, term by term.
"""

import heapq
from array import array
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO

import msgspec

MAX_TERMS = 100_000
"""Terms that are kept in memory, at some 350 bytes each."""
MAX_POSTINGS = 3_000_000
"""Postings of all these terms together, at 4 bytes each or a little more."""
_LENGTH = 4
_Record = tuple[bytes, list[str], bytes]
"""A term as it is sorted, the stems of the word, and its postings."""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Record).decode

Term = tuple[str, list[str], "array[int]"]
"""A term, the stems of the word that it is, and what was added to it, ascending."""


class Terms:
    """Takes stems and postings in any order, and yields them by term."""

    def __init__(self, folder: Path, most: int = MAX_TERMS) -> None:
        self._folder = folder
        self._most = most
        self._postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self._stems: dict[str, str | tuple[str, ...]] = {}
        """By word; several for a word of several languages."""
        self._added = 0
        self._runs: list[Path] = []

    def add_stem(self, word: str, stem: str) -> None:
        """Note that a word has a stem."""
        known = self._stems.get(word)
        if known is None:
            self._stems[word] = stem
        elif stem != known and (isinstance(known, str) or stem not in known):
            others = (known,) if isinstance(known, str) else known
            self._stems[word] = (stem, *others)

    def add_posting(self, term: str, posting: int) -> None:
        """Add a number below 2 ** 32 to a term."""
        self._postings[term].append(posting)
        self._added += 1

    def make_room(self) -> None:
        """Write what is in memory to a run if it is much."""
        terms = len(self._stems) + len(self._postings)
        if terms > self._most or self._added > MAX_POSTINGS:
            self._write_run()

    def merge(self) -> Iterator[Term]:
        """Yield each term once, in the order in which JavaScript compares texts."""
        with ExitStack() as stack:
            files = [stack.enter_context(path.open("rb")) for path in self._runs]
            streams = [*map(_read_records, files), self._records()]
            last, stems, postings = b"", set[str](), array("I")
            for term, more_stems, more in heapq.merge(*streams, key=itemgetter(0)):
                if term != last:
                    if last:
                        yield _finish(last, stems, postings)
                    last, stems, postings = term, set(), array("I")
                stems.update(more_stems)
                postings.frombytes(more)
            if last:
                yield _finish(last, stems, postings)

    def _write_run(self) -> None:
        path = self._folder / f"terms-{len(self._runs)}"
        with path.open("wb") as file:
            for record in self._records():
                body = _encode(record)
                file.write(len(body).to_bytes(_LENGTH) + body)
        self._runs.append(path)
        self._stems.clear()
        self._postings.clear()
        self._added = 0

    def _records(self) -> Iterator[_Record]:
        for key in sorted(self._stems.keys() | self._postings.keys(), key=_order):
            stems = self._stems.get(key, ())
            listed = [stems] if isinstance(stems, str) else list(stems)
            postings = self._postings.get(key)
            yield _order(key), listed, postings.tobytes() if postings else b""


def _read_records(file: BinaryIO) -> Iterator[_Record]:
    while length := file.read(_LENGTH):
        yield _decode(file.read(int.from_bytes(length)))


def _order(term: str) -> bytes:
    return term.encode("utf-16-be")


def _finish(term: bytes, stems: set[str], postings: "array[int]") -> Term:
    return term.decode("utf-16-be"), sorted(stems), array("I", sorted(postings))
