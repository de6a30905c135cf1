"""Collections of made-up books in a folder, for search_across.py, and what indexes them."""

import hashlib
import json
import resource
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote
from zlib import crc32

import msgspec
import numpy as np

from vitrine.errors import ObjectMissing
from vitrine.ports import Listed, ObjectInfo, Page, Part
from vitrine.present.across.update import update_across
from vitrine.present.inside.build import PAGE_BLOCK_WORDS, _add_block, _pack_all_terms
from vitrine.present.inside.form import MAGIC, PREFIX, Head, PageBlock, compress
from vitrine.present.inside.packing import pack_positions
from vitrine.present.inside.tokens import split_tokens
from vitrine.present.text.page_text import Line, PageText, Word
from vitrine.store.layout import publication_key, text_index_key
from vitrine.store.publications import Published, encode_publication

WORDS_A_LINE = 10


class FolderSite:
    """A bucket in a folder, as far as updates and queries need one; it counts what is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.reads: list[int] = []
        """Bytes of each."""

    def _path(self, key: str) -> Path:
        return self._folder / quote(key, safe="")

    def _info(self, key: str, body: bytes = b"") -> ObjectInfo:
        try:
            found = self._path(key).stat()
        except FileNotFoundError:
            raise ObjectMissing(key) from None
        etag = hashlib.md5(body, usedforsecurity=False).hexdigest()
        version = str(found.st_mtime_ns)
        return ObjectInfo(key=key, size=found.st_size, etag=etag, version=version, modified="")

    def head(self, key: str) -> ObjectInfo:
        """Return information about an object."""
        return self._info(key)

    def has(self, key: str) -> bool:
        """Return whether there is such an object."""
        return self._path(key).exists()

    def get(self, key: str) -> tuple[bytes, ObjectInfo]:
        """Return an object."""
        self._info(key)
        body = self._path(key).read_bytes()
        self.reads.append(len(body))
        return body, self._info(key, body)

    def read(self, key: str, start: int, length: int, **options: Any) -> Part:
        """Return a range."""
        size = self._info(key).size
        with self._path(key).open("rb") as file:
            file.seek(start)
            body = file.read(length)
        self.reads.append(len(body))
        return Part(body, "", size)

    def put(self, key: str, body: bytes, **options: Any) -> ObjectInfo:
        """Store an object."""
        self._path(key).write_bytes(body)
        return self._info(key, body)

    def upload(self, path: Path, key: str, **options: Any) -> ObjectInfo:
        """Store a file."""
        return self.put(key, path.read_bytes())

    def download(self, key: str, path: Path) -> ObjectInfo:
        """Copy an object into a file."""
        body, info = self.get(key)
        path.write_bytes(body)
        return info

    def list_keys(self, after: str = "", limit: int = 1_000, *, prefix: str = "") -> Page:
        """Return all keys behind one that begin with the prefix."""
        keys = sorted(unquote(path.name) for path in self._folder.iterdir())
        found = [
            Listed(key, self._info(key).version, "")
            for key in keys
            if key > after and key.startswith(prefix)
        ]
        return Page(found, "")


class Books:
    """Books whose words are drawn by their frequencies; the same seed draws the same words."""

    def __init__(self, frequencies: dict[str, float], pages: int, length: int) -> None:
        """Draw from folded words: `pages` of each book, with `length` words each."""
        self.words = list(frequencies)
        self.pages, self.length = pages, length
        self._bounds = np.cumsum(np.fromiter(frequencies.values(), float))

    def draw(self, seed: int) -> "np.ndarray[Any, Any]":
        """Return the numbers of the words of a book, a row for each page."""
        marks = np.random.default_rng(seed).random((self.pages, self.length))
        found = np.searchsorted(self._bounds, marks * self._bounds[-1], side="right")
        return np.asarray(np.minimum(found, len(self.words) - 1))

    def index(self, seed: int, *, has_texts: bool) -> bytes:
        """Return a book's text index, as `build_index` makes it; without boxes, and maybe texts."""
        drawn = self.draw(seed)
        flat = drawn.ravel()
        order = np.argsort(flat, kind="stable")
        bounds = np.flatnonzero(np.diff(flat[order])) + 1
        positions = order + order // self.length
        groups = np.split(positions, bounds)
        names = flat[order[np.concatenate(([0], bounds))]]
        by_word = {
            self.words[name]: group.tolist() for name, group in zip(names, groups, strict=True)
        }
        terms, bodies = _pack_all_terms(by_word)
        pages: list[PageBlock] = []
        if has_texts:
            step = -(-PAGE_BLOCK_WORDS // self.length)
            for first in range(0, self.pages, step):
                texts = [self._page(row) for row in drawn[first : first + step]]
                pages.append(_add_block(first, texts, bodies))
        starts = pack_positions(range(0, (self.pages + 1) * (self.length + 1), self.length + 1))
        head = compress(msgspec.msgpack.encode(Head(starts, terms, tuple(pages))))
        return b"".join([PREFIX.pack(MAGIC, len(head), crc32(head)), head, *bodies])

    def texts(self, seed: int) -> Iterator[list[str]]:
        """Yield the words of each page."""
        for row in self.draw(seed):
            yield [self.words[number] for number in row]

    def _page(self, row: "np.ndarray[Any, Any]") -> PageText:
        words = [Word(self.words[number]) for number in row]
        starts = range(0, len(words), WORDS_A_LINE)
        return PageText(tuple(Line(tuple(words[one : one + WORDS_A_LINE])) for one in starts))


def fold_words(frequencies: dict[str, float]) -> dict[str, float]:
    """Return the folded words with their frequencies; those of several words are left out."""
    folded: dict[str, float] = {}
    for word, frequency in frequencies.items():
        match list(split_tokens(word)):
            case [token]:
                folded[token] = folded.get(token, 0) + frequency
    return folded


def publish_books(folder: Path, books: Books, numbers: Iterable[int], *, has_texts: bool) -> None:
    """Publish books in a folder, those that are not there."""
    site = FolderSite(folder)
    for number in numbers:
        if not site.has(publication_key(f"book-{number:05}")):
            publish(site, number, books.index(number, has_texts=has_texts))


def publish(site: FolderSite, number: int, index: bytes, version: int = 1) -> None:
    """Publish a book."""
    identifier, name = f"book-{number:05}", f"{number * 1_000 + version:016x}"
    site.put(text_index_key(identifier, name), index)
    publication = Published(revision=version, kind="manifest", documents={}, text_index=name)
    site.put(publication_key(identifier), encode_publication(publication))


def update(folder: str) -> str:
    """Bring the index up to date; return what that took, as JSON."""
    wall, cpu = time.monotonic(), time.process_time()
    result = update_across(FolderSite(Path(folder)), most_seconds=100_000)  # type: ignore[arg-type]
    found = {
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "seconds": round(time.monotonic() - wall, 2),
        "peak_mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "written": result.written,
        "segments": result.segments,
        "pages": result.pages,
        "added": result.added,
    }
    return json.dumps(found)
