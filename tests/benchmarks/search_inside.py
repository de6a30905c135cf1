"""Searches inside a book: bytes of its text index, pages built per second, and what queries cost.

    python -m pip download --no-deps --dest runs wordfreq==3.1.1
    python -m tests.benchmarks.search_inside --words runs/wordfreq-3.1.1-py3-none-any.whl
        [--pages 500] [--words-a-page 350] [--queries 10000] [--rounds 5] [--comments 0]
        [--store] [--raw runs/search-inside.json]

The book is made up: words of the frequencies that wordfreq 3.1.1 counts in English (its data are
CC BY-SA 4.0), in lines of ten with a box each, as proportional type would have them. All queries
are compared with a scan of the whole text. With comments, of words of the book, each query asks for
up to three motivations, or for none. Cold is the first query of a process that has nothing of
the index; warm has what earlier ones read. Completions are those of each letter, with each
motivation and with none. Milliseconds are of this machine's CPU, with the index
in memory; what S3 adds is its requests, each of which takes some 20 ms. With --store, milliseconds
are of the wall clock, and of whole answers from a store over HTTP (search_store.py).
"""

import argparse
import gzip
import random
import tempfile
import time
import zipfile
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import msgspec

from tests.benchmarks.raw_rounds import report, summarize_rounds
from tests.benchmarks.search_store import make_publication, measure_store, running_store
from tests.unit.present.inside.inside_bench import Reads
from tests.unit.present.inside.scan import MOTIVATIONS, TEXT, Scan, make_query, make_remarks
from vitrine.present.inside.build import build_index
from vitrine.present.inside.form import Head
from vitrine.present.inside.motivations import read_motivations
from vitrine.present.inside.query import parse_query
from vitrine.present.inside.search import find_matches, find_spans
from vitrine.present.inside.text_index import TextIndex
from vitrine.present.text.page_text import Box, Line, PageText, Word
from vitrine.store.layout import publication_key, text_index_key

MEMBER = "wordfreq/data/large_en.msgpack.gz"
WORDS_A_LINE = 10
LETTER = 22
"""Pixels of a letter's width, on average."""


def read_statistics(wheel: Path) -> dict[str, float]:
    """Return words with their frequencies.

    The file is a list: a header, then the words of each hundredth of a power of ten.
    """
    with zipfile.ZipFile(wheel) as archive:
        _, *bins = msgspec.msgpack.decode(gzip.decompress(archive.read(MEMBER)))
    return {word: 10 ** (-place / 100) for place, words in enumerate(bins) for word in words}


def write_book(words: dict[str, float], pages: int, length: int, seed: int) -> Iterator[PageText]:
    """Yield the pages of a book; a tenth of its words begin with a capital or end with a mark."""
    made, names, cumulated = random.Random(seed), list(words), list(accumulate(words.values()))
    for _ in range(pages):
        texts = made.choices(names, cum_weights=cumulated, k=length)
        lines = [texts[start : start + WORDS_A_LINE] for start in range(0, length, WORDS_A_LINE)]
        yield PageText(
            tuple(_write_line(made, line, 300 + 85 * place) for place, line in enumerate(lines))
        )


def _write_line(made: random.Random, texts: list[str], top: int) -> Line:
    words, left = [], 250 + made.randint(-3, 3)
    for text in texts:
        chance = made.random()
        shown = text.capitalize() if chance < 0.05 else f"{text}," if chance < 0.1 else text
        width = len(shown) * LETTER + made.randint(-6, 6)
        box = Box(left, top + made.randint(-4, 4), max(width, 4), 45 + made.randint(-6, 9))
        words.append(Word(shown, (box,)))
        left += max(width, 4) + 20 + made.randint(-4, 4)
    return Line(tuple(words))


def count_text_bytes(pages: list[PageText]) -> int:
    """Return bytes of the words with a space after each."""
    return sum(
        len(word.text.encode()) + 1 for page in pages for line in page.lines for word in line.words
    )


def describe_index(body: bytes) -> dict[str, int]:
    """Return bytes of each part of an index."""
    head: Head = TextIndex(Reads(body))._head
    return {
        "words": sum(block.words for block in head.terms),
        "positions": sum(block.positions for block in head.terms),
        "texts": sum(block.texts for block in head.pages),
        "boxes": sum(block.boxes for block in head.pages),
    }


def compare_with_scan(
    body: bytes, scan: Scan, queries: list[str], motivations: list[list[str]]
) -> int:
    """Return how many queries have a match. Raises AssertionError where a scan finds otherwise."""
    index = TextIndex(Reads(body))
    hits = 0
    for query, names in zip(queries, motivations, strict=True):
        matches, requested = scan.find(query, names), read_motivations(" ".join(names), 2)
        assert find_spans(index, parse_query(query), requested) == matches, (query, names)
        hits += bool(matches)
    return hits


def measure_queries(body: bytes, queries: list[str], *, is_warm: bool) -> dict[str, float]:
    """Return milliseconds, requests and bytes of queries, each by itself."""
    reads = Reads(body)
    index = TextIndex(reads)
    times, requests, sizes = [], [], []
    for query in queries:
        if not is_warm:
            reads = Reads(body)
        before, began = len(reads.ranges), time.process_time()
        find_matches(index if is_warm else (index := TextIndex(reads)), parse_query(query), 1)
        times.append(1_000 * (time.process_time() - began))
        fresh = reads.ranges[before:]
        requests.append(len(fresh))
        sizes.append(sum(min(length, len(body) - start) for start, length in fresh))
    return {
        "p50_ms": _percentile(times, 50),
        "p99_ms": _percentile(times, 99),
        "requests": sum(requests) / len(requests),
        "most_requests": max(requests),
        "p50_bytes": _percentile(sizes, 50),
        "p99_bytes": _percentile(sizes, 99),
    }


def measure_index(
    pages: list[PageText], remarks: Any, timed: list[str], rounds: int
) -> tuple[bytes, dict[str, Any]]:
    """Build the index in each round, and return it with the figures of its building and queries."""
    rates, cold, warm = list[dict[str, float]](), list[dict[str, float]](), []
    body = b""
    for _ in range(rounds):
        began = time.process_time()
        body = build_index(pages, remarks)
        rates.append({"pages_a_second": len(pages) / (time.process_time() - began)})
        cold.append(measure_queries(body, timed, is_warm=False))
        warm.append(measure_queries(body, timed, is_warm=True))
    text = count_text_bytes(pages)
    names = (*MOTIVATIONS, *TEXT)
    return body, {
        "pages": len(pages),
        "text_bytes": text,
        "index_bytes": len(body),
        "index_to_text": round(len(body) / text, 2),
        "parts_bytes": describe_index(body),
        "built": summarize_rounds(rates),
        "cold": summarize_rounds(cold),
        "warm": summarize_rounds(warm),
        "completions, cold": summarize_rounds(
            measure_completions(body, names) for _ in range(rounds)
        ),
    }


def measure_completions(body: bytes, motivations: tuple[str, ...]) -> dict[str, float]:
    """Return milliseconds of completions of each letter, with each motivation and with none."""
    times = []
    for motivation in (*motivations, "", "nothing"):
        requested = read_motivations(motivation, 2)
        for letter in ascii_lowercase:
            index = TextIndex(Reads(body))
            began = time.process_time()
            for _ in index.complete(letter, requested):
                pass
            times.append(1_000 * (time.process_time() - began))
    return {"p50_ms": round(_percentile(times, 50), 2), "most_ms": round(max(times), 2)}


def _percentile(values: list[float] | list[int], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def measure_book(body: bytes, pages: int, queries: list[str], rounds: int) -> dict[str, Any]:
    """Return the figures of answers from a store."""
    requests = [("all", "/inside/3/book/search-2", query) for query in queries]
    with tempfile.TemporaryDirectory() as folder, running_store(Path(folder)) as stores:
        stores[0].put(text_index_key("book", "1"), body, content_type="application/octet-stream")
        publication = make_publication("book", pages, "1")
        stores[0].put(publication_key("book"), publication, content_type="application/octet-stream")
        return measure_store(stores, requests, rounds)


def main() -> None:
    """Print what was measured, with all rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--words-a-page", type=int, default=350)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--timed", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--comments", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--raw", type=Path)
    arguments = parser.parse_args()
    words = read_statistics(arguments.words)
    pages = list(write_book(words, arguments.pages, arguments.words_a_page, arguments.seed))
    made = random.Random(arguments.seed)
    remarks = make_remarks(made, pages, arguments.comments)
    scan = Scan(pages, remarks)
    queries = [make_query(made, scan) for _ in range(arguments.queries)]
    timed = queries[: arguments.timed]
    if arguments.store:
        report(measure_book(build_index(pages), len(pages), timed, arguments.rounds), arguments.raw)
        return
    body, found = measure_index(pages, remarks, timed, arguments.rounds)
    names = (*MOTIVATIONS, *TEXT)
    requested = [made.sample(names, made.randint(0, 3) if remarks else 0) for _ in queries]
    hits = compare_with_scan(body, scan, queries, requested)
    found["compared with a scan"] = {"queries": len(queries), "with a match": hits}
    report(found, arguments.raw)


if __name__ == "__main__":
    main()
