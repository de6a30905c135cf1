"""Builds the indexes that site_search.py compares."""

import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tests.benchmarks.search_corpus import Corpus, vocabulary
from vitrine.present.pages.theme import DEFAULT, read_theme
from vitrine.present.search.files import IndexFiles
from vitrine.present.search.index import Index
from vitrine.present.search.rows import Row

SCRIPT = Path(__file__).with_name("search_rivals.mjs")
LONGEST_SECONDS = 600
"""For a rival's index; one that takes longer is not waited for."""


def write_corpus(objects: int, path: Path) -> None:
    """Write the objects into a file, once for all indexes."""
    with path.open("wb") as file:
        for row, text in Corpus(objects).rows():
            file.write(msgspec.json.encode((row, text)) + b"\n")


def build_index(name: str, rivals: str, corpus: str, change: str, out: str) -> str:
    """Build an index of a file of objects in `out`; return CPU seconds and peak memory as JSON.

    `change` is empty, or label: one object's title has another word; or insert: there is one more.
    What it takes to read the objects is not counted.
    """
    with Path(corpus).open("rb") as file:
        objects = sum(1 for _ in file)
    rows = _rows(Path(corpus), objects, change)
    folder = Path(out)
    folder.mkdir(parents=True)
    try:
        if name == "ours":
            cpu = _build_ours(rows, objects, folder)
        else:
            cpu = _build_rival(name, rivals, rows, folder)
    except subprocess.TimeoutExpired:
        return json.dumps({"given_up_after_seconds": LONGEST_SECONDS})
    who = resource.RUSAGE_SELF if name == "ours" else resource.RUSAGE_CHILDREN
    peak = resource.getrusage(who).ru_maxrss / 1024
    return json.dumps({"cpu_seconds": round(cpu, 1), "peak_mebibytes": round(peak)})


def _rows(corpus: Path, objects: int, change: str) -> Iterator[tuple[Row, str]]:
    """Yield each row with the text that others index."""
    for row, text in _read(corpus):
        if change == "label" and row.number == objects // 2:
            word = vocabulary()[1_234]
            renamed = {one: f"{label} {word}" for one, label in _card(row).label.items()}
            card = msgspec.structs.replace(_card(row), label=renamed)
            words = [*row.words, (word, word, 1)]
            yield msgspec.structs.replace(row, card=card, words=words), text
        else:
            yield row, text
    if change == "insert":
        more, text = next(_read(corpus))
        yield msgspec.structs.replace(more, identifier="one more", number=objects), text


def _read(corpus: Path) -> Iterator[tuple[Row, str]]:
    decode = msgspec.json.Decoder(tuple[Row, str]).decode
    with corpus.open("rb") as file:
        yield from map(decode, file)


def _card(row: Row) -> Any:
    assert row.card
    return row.card


def _build_ours(rows: Iterator[tuple[Row, str]], objects: int, folder: Path) -> float:
    """Write the index, and the lists of facets of the objects that the changes touch."""
    with tempfile.TemporaryDirectory() as scratch, Index(Path(scratch)) as index:
        return _write_ours(index, rows, objects, folder)


def _write_ours(index: Index, rows: Iterator[tuple[Row, str]], objects: int, folder: Path) -> float:
    touched, cpu = set(), 0.0
    for row, _ in rows:
        if row.number in (0, objects // 2):
            touched |= {one.slugs for one in row.facets}
        began = time.process_time()
        index.add(row)
        cpu += time.process_time() - began
    began = time.process_time()
    for key, body in index.files():
        _write(folder / key, body)
    cpu += time.process_time() - began
    lists = IndexFiles(index, read_theme(DEFAULT), "https://museum.example")
    for page in lists.make_pages(touched):
        if page.key != "search":
            _write(folder / f"{page.key}.html", page.body)
    return cpu


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def _build_rival(name: str, rivals: str, rows: Iterator[tuple[Row, str]], folder: Path) -> float:
    listed = folder.with_name(f"{folder.name}.jsonl")
    with listed.open("w") as file:
        for row, text in rows:
            file.write(json.dumps(_plain(row, text)) + "\n")
    subprocess.run(
        ["node", SCRIPT, name, Path(rivals).resolve(), listed, folder],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=LONGEST_SECONDS,
    )
    listed.unlink()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _plain(row: Row, text: str) -> dict[str, Any]:
    facets: dict[str, list[str]] = {}
    for one in row.facets:
        facets.setdefault(next(iter(one.facet.values())), []).extend(one.value.values())
    card = _card(row)
    [(language, label)] = card.label.items()
    return {
        "identifier": row.identifier,
        "label": label,
        "language": language,
        "line": card.line,
        "thumbnail": card.thumbnail,
        "text": text,
        "facets": facets,
    }
