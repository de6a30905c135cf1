"""Searches in the pages of a collection: what the index takes, what its updates write, and queries.

    python -m pip download --no-deps --dest runs wordfreq==3.1.1
    python -m pip install --target runs/rivals apsw==3.54.1.0
    python -m tests.benchmarks.search_across --words runs/wordfreq-3.1.1-py3-none-any.whl
        [--books 400] [--pages 250] [--only-words] [--rivals runs/rivals] [--rounds 5]
        [--folder runs/across] [--store] [--raw runs/search-across.json]

Books are made up: words drawn by the frequencies that wordfreq 3.1.1 counts in English (its data
are CC BY-SA 4.0), without boxes; with --only-words, their own text indexes have no pages either, so
that a million pages can be made, and queries then end with the ranking. An update runs in a process
of its own: all books at once, then one book with other words. Cold is the first query of a process
that has nothing of any index, warm has what earlier ones read. Milliseconds are of this machine's
CPU, with files on its disk; what S3 adds is its requests, each of which takes some 20 ms. The rival
is SQLite FTS5 on the same pages, whose file is read by pages of 4 and of 64 KiB; --folder keeps
what was made for the next run. With --store, only answers are measured: whole ones, from a store
over HTTP, by the wall clock (search_store.py).
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.benchmarks.across_books import Books, FolderSite, fold_words, publish, publish_books
from tests.benchmarks.across_fts5 import DETAILS, Fts5, count_ranges
from tests.benchmarks.raw_rounds import report, summarize_kinds
from tests.benchmarks.search_inside import read_statistics, write_book
from tests.benchmarks.search_store import copy_books, measure_store, running_store
from tests.unit.present.across.across_bench import Library
from tests.unit.present.inside.scan import Scan, make_query
from vitrine.errors import InvalidRequest
from vitrine.present.across.live_list import LIST, load_list
from vitrine.present.across.search import Across
from vitrine.present.inside.query import parse_query
from vitrine.present.inside.stored import StoredIndexes

ROOT = Path(__file__).parents[2]
KINDS = ("words", "phrase", "beginning")
SEED = 1
Figures = dict[str, float]


def make_queries(books: Books, count: int, number: int) -> list[tuple[str, str]]:
    """Return kinds and queries: words of a page, some that follow each other, and beginnings.

    Each different word of a page is as likely as any other.
    """
    made = random.Random(SEED)
    queries: list[tuple[str, str]] = []
    while len(queries) < number:
        page = made.choice(list(books.texts(made.randrange(count))))
        words = sorted(set(page))
        match KINDS[(0, 0, 0, 1, 2)[len(queries) % 5]]:
            case "words":
                queries.append(("words", " ".join(made.sample(words, made.randint(1, 3)))))
            case "phrase":
                place = made.randrange(len(page) - 3)
                phrase = " ".join(page[place : place + made.randint(2, 3)])
                queries.append(("phrase", f'"{phrase}"'))
            case _:
                beginning = made.choice([word for word in words if len(word) > 4])[:4]
                queries.append(("beginning", f"{beginning}* {made.choice(words)}"))
    return queries


def run_update(folder: Path) -> dict[str, Any]:
    """Bring the index up to date in a process of its own."""
    code = (
        "import sys; from tests.benchmarks.across_books import update; print(update(sys.argv[1]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=ROOT, check=True, capture_output=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class Measured:
    """Milliseconds, requests and bytes of queries, by their kinds."""

    def __init__(self) -> None:
        self._figures: defaultdict[str, list[tuple[float, int, int]]] = defaultdict(list)
        self.refused = 0

    def add(self, kind: str, began: float, requests: int, size: int) -> None:
        """Add a query that began then."""
        spent = 1_000 * (time.process_time() - began)
        for one in (kind, "all"):
            self._figures[one].append((spent, requests, size))

    def summary(self) -> dict[str, Figures]:
        """Return the figures of each kind."""
        return {kind: _summarize(figures) for kind, figures in self._figures.items()}


def _summarize(figures: list[tuple[float, int, int]]) -> Figures:
    times, requests, sizes = zip(*figures, strict=True)
    return {
        "p50_ms": _percentile(times, 50),
        "p99_ms": _percentile(times, 99),
        "requests": sum(requests) / len(requests),
        "p99_requests": _percentile(requests, 99),
        "p50_bytes": _percentile(sizes, 50),
        "p99_bytes": _percentile(sizes, 99),
    }


def _percentile(values: tuple[float, ...], percent: int) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)]


def measure_ours(
    folder: Path, queries: list[tuple[str, str]], *, is_warm: bool, is_shown: bool
) -> dict[str, Figures]:
    """Ask all queries once."""
    site = FolderSite(folder)

    def start() -> Across:
        return Across(site, StoredIndexes(site))  # type: ignore[arg-type]

    measured, across = Measured(), start()
    for kind, query in queries:
        site.reads.clear()
        began = time.process_time()
        if not is_warm:
            across = start()
        try:
            across.find(parse_query(query), 0, lambda identifier, name: is_shown)
        except InvalidRequest:
            measured.refused += 1
        measured.add(kind, began, len(site.reads), sum(site.reads))
    return {**measured.summary(), "refused": {"queries": measured.refused}}


def measure_fts5(
    index: Fts5, pages: int, queries: list[tuple[str, str]], *, is_warm: bool
) -> dict[str, Figures]:
    """Ask all queries once; a request is what SQLite reads in one go."""
    measured, connection = Measured(), index.open()
    for kind, query in queries:
        index.reads.clear()
        began = time.process_time()
        if not is_warm:
            connection = index.open()
        index.find(connection, query, pages)
        size = sum(size for _, size in index.reads)
        measured.add(kind, began, count_ranges(index.reads), size)
    return measured.summary()


def describe(folder: Path) -> dict[str, Any]:
    """Return what is in the index."""
    site = FolderSite(folder)
    live, _ = load_list(site)  # type: ignore[arg-type]
    return {
        "bytes": sum(segment.size for segment in live.segments),
        "segments": [segment.pages for segment in live.segments],
        "list_bytes": site.head(LIST).size,
    }


def measure_updates(folder: Path, books: Books, count: int) -> dict[str, Any]:
    """Index all books, then one that has other words, then all again."""
    found: dict[str, Any] = {"first": run_update(folder)}
    number = count // 2
    publish(FolderSite(folder), number, books.index(count + 1, has_texts=True), version=2)
    found["one changed book"] = run_update(folder)
    return {**found, "index": describe(folder)}


def compare_with_scan(words: dict[str, float], count: int) -> int:
    """Return how many of some queries find anything in a small collection that changed.

    Raises AssertionError where reading all of it finds something else.
    """
    made, library = random.Random(SEED), Library()
    for number in range(16):
        library.publish(f"book-{number % 12}", *write_book(words, 20, 150, number))
        if number % 3 == 0:
            library.update()
    library.update()
    scans = [Scan(pages) for pages in library.texts.values()]
    hits = 0
    for _ in range(count):
        query = make_query(made, made.choice(scans))
        expected = library.scan_all(query)
        assert dict(library.find_all(query)) == expected, query
        hits += bool(expected)
    return hits


def measure_rival(arguments: argparse.Namespace, books: Books, folder: Path) -> dict[str, Any]:
    """Measure FTS5 in each of its forms."""
    queries = make_queries(books, arguments.books, arguments.queries)
    found: dict[str, Any] = {}
    for detail in DETAILS:
        fitting = [one for one in queries if detail == "full" or one[0] != "phrase"]
        small, large = (
            Fts5(folder / f"fts5-{detail}-{kibibytes}.db", arguments.rivals, kibibytes, detail)
            for kibibytes in (4, 64)
        )
        spent = {"cpu_seconds": 0.0}
        if not large.path.exists():
            texts = (page for number in range(arguments.books) for page in books.texts(number))
            spent["cpu_seconds"] = small.build(texts)
            large.copy_from(small)
        for index in (small, large):
            figures: dict[str, Any] = {"bytes": index.path.stat().st_size, **spent}
            for name, is_warm in (("cold", False), ("warm", True)):
                figures[name] = summarize_kinds(
                    measure_fts5(index, books.pages, fitting, is_warm=is_warm)
                    for _ in range(arguments.rounds)
                )
            found[index.path.stem] = figures
    return found


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return all figures."""
    frequencies = fold_words(read_statistics(arguments.words))
    books = Books(frequencies, arguments.pages, arguments.words_a_page)
    site = folder / "site"
    site.mkdir(parents=True, exist_ok=True)
    has_texts = not arguments.only_words
    publish_books(site, books, range(arguments.books), has_texts=has_texts)
    queries = make_queries(books, arguments.books, arguments.queries)
    if arguments.store:
        run_update(site)
        with running_store(folder / "store") as stores:
            copy_books(site, stores[0], arguments.pages)
            requests = [(kind, "/inside/3/search-2", query) for kind, query in queries]
            return measure_store(stores, requests, arguments.rounds)
    found: dict[str, Any] = {"updates": measure_updates(site, books, arguments.books)}
    text = sum(len(word.encode()) + 1 for page in books.texts(0) for word in page)
    found["text_bytes"] = text * arguments.books
    for name, is_warm in (("cold", False), ("warm", True)):
        found[name] = summarize_kinds(
            measure_ours(site, queries, is_warm=is_warm, is_shown=has_texts)
            for _ in range(arguments.rounds)
        )
    if arguments.compared:
        hits = compare_with_scan(read_statistics(arguments.words), arguments.compared)
        found["compared with a scan"] = {"queries": arguments.compared, "with a match": hits}
    if arguments.rivals:
        found["rivals"] = measure_rival(arguments, books, folder)
    return found


def main() -> None:
    """Print what was measured, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=Path, required=True)
    parser.add_argument("--books", type=int, default=400)
    parser.add_argument("--pages", type=int, default=250)
    parser.add_argument("--words-a-page", type=int, default=350)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--compared", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only-words", action="store_true")
    parser.add_argument("--rivals", type=Path)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--raw", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        found = measure(arguments, arguments.folder or Path(made))
    report(found, arguments.raw)


if __name__ == "__main__":
    main()
