"""The search by titles in both forms of index, by what each stores, builds, reads and costs."""

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec

from loadtest.corpora.made_up_objects import list_words, make_rows
from loadtest.report.document import Part, Table, Text
from loadtest.report.format_figure import format_figure
from loadtest.report.saved_run import Report
from loadtest.studies.interleaved_rounds import Say
from loadtest.studies.search_forms.form_figures import Answer
from loadtest.studies.search_forms.title_files import TitleFiles
from loadtest.studies.search_forms.title_segment import TitleSegment
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.search.stored_lines import NewLines
from vitrine.search.titles.rows import IN_LONG_TITLE, Row

_SEED = 29
_QUERIES_OF_AN_OBJECT = (1, 2, 3)
"""Words of queries, in turn."""
_TYPED = 3
"""Letters of the last word at which a query that is typed is asked first."""
# Dollars as in docs/adr/0037: CloudFront's requests and gigabytes, S3's requests, a Lambda of
# 1,769 MB, and 20 ms for each round to S3: five in a new process, three later.
_EDGE_REQUEST, _EDGE_BYTE, _S3_REQUEST, _LAMBDA_REQUEST = 1e-6, 0.085e-9, 0.4e-6, 0.2e-6
_LAMBDA_SECOND = 1769 / 1024 * 0.0000166667
_ROUND_SECONDS, _FIRST_ROUNDS, _LATER_ROUNDS = 0.020, 5, 3
_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class SearchFormsStudy:
    """How many objects are made up, and how many queries are asked."""

    objects: int = 100_000
    queries: int = 100


def compare_forms(study: SearchFormsStudy, say: Say) -> dict[str, Any]:
    """Return the figures of both forms. Raises VitrineError."""
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        files, segment, changed = TitleFiles(Path(folder, "site")), TitleSegment(), TitleSegment()
        say(f"{study.objects:,} objects are made up")
        corpus = Path(folder, "corpus.jsonl")
        with corpus.open("wb") as file:
            file.writelines(msgspec.json.encode(row) + b"\n" for row in make_rows(study.objects))
        say("both indexes are built")
        files.build(_add_to(segment, _read_rows(corpus)), Path(folder, "first"))
        segment.write()
        say("the files are built again with another title")
        files.build(
            _with_another_title(_read_rows(corpus), study.objects // 2, changed),
            Path(folder, "second"),
        )
        changed.write()
        visits = list(_make_visits(study, _read_rows(corpus)))
        say(f"{len(visits)} visits ask the files, and then the segment")
        answers = files.ask(visits), segment.ask(visits)
    rows = [
        ("bytes stored", files.bytes, segment.bytes + segment.card_bytes),
        ("… of these, of cards", files.card_bytes, segment.card_bytes),
        ("files", len(files.digests), 4),
        ("CPU to build, s", files.cpu_seconds, segment.cpu_seconds),
        ("a changed title: files written", files.changed_files, 4),
        (
            "… bytes written",
            files.changed_bytes,
            changed.bytes + changed.card_bytes + segment.list_bytes,
        ),
        ("… bytes kept for the next update", files.kept_bytes, _known_bytes(segment)),
        *_compare_answers(*answers),
    ]
    return {
        "complete": True,
        "objects": study.objects,
        "queries": study.queries,
        "equal_answers": sum(
            set(one.found) == set(other.found) for one, other in _pair_last(*answers)
        ),
        "rows": [{"of": of, "files": one, "segment": other} for of, one, other in rows],
    }


def _add_to(segment: TitleSegment, rows: Iterator[Row]) -> Iterator[Row]:
    for row in rows:
        segment.add(row)
        yield row


def _read_rows(corpus: Path) -> Iterator[Row]:
    with corpus.open("rb") as file:
        yield from map(msgspec.json.Decoder(Row).decode, file)


def _with_another_title(rows: Iterator[Row], number: int, changed: TitleSegment) -> Iterator[Row]:
    """Yield all rows, of which one has one more word in its title, and add that one."""
    word = list_words()[1_234]
    for row in rows:
        if row.number == number and row.card:
            label = {one: f"{text} {word}" for one, text in row.card.label.items()}
            card = msgspec.structs.replace(row.card, label=label)
            words = [*row.words, (word, word, IN_LONG_TITLE)]
            row = msgspec.structs.replace(row, card=card, words=words)
            changed.add(row)
        yield row


def _make_visits(study: SearchFormsStudy, rows: Iterator[Row]) -> Iterator[list[str]]:
    """Yield for each query a visit with it alone, one after another query, and one as it is typed.

    Queries are words of an object each; every fourth ends with the beginning of one.
    """
    chance = random.Random(_SEED)
    chosen = set(chance.sample(range(study.objects), study.queries))
    previous = list_words()[60]
    for place, row in enumerate(row for row in rows if row.number in chosen):
        known = [word for word, _, _ in row.words if ":" not in word and word.isalpha()]
        words = chance.sample(known, _QUERIES_OF_AN_OBJECT[place % len(_QUERIES_OF_AN_OBJECT)])
        if place % 4 == 3:
            words[-1] = words[-1][: _TYPED + 1]
        query = " ".join(words)
        yield [query]
        yield [previous, query]
        pauses = [" ".join(words[:count]) for count in range(1, len(words))]
        yield [*pauses, " ".join([*words[:-1], words[-1][:_TYPED]]), query]
        previous = query


def _known_bytes(segment: TitleSegment) -> int:
    store = MemoryObjectStore()
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder, NewLines(Path(folder)) as lines:
        for line in segment.known():
            lines.add(line)
        lines.store(store, "known")
    return store.head("known").size


Visits = Sequence[Sequence[Answer]]


def _pair_last(files: Visits, segment: Visits) -> Iterator[tuple[Answer, Answer]]:
    """Yield the answers to each query alone."""
    return zip(_last(files[::3]), _last(segment[::3]), strict=True)


def _last(visits: Visits) -> list[Answer]:
    return [visit[-1] for visit in visits]


def _compare_answers(files: Visits, segment: Visits) -> Iterator[tuple[str, float, float]]:
    first = _last(files[::3]), _last(segment[::3])
    later = _last(files[1::3]), _last(segment[1::3])
    for name, (one, other), rounds in (
        ("first query of a visit", first, _FIRST_ROUNDS),
        ("a further query", later, _LATER_ROUNDS),
    ):
        yield f"{name}: requests for its index", *_averages(one, other, "requests")
        yield "… of these, of cards", *_averages(one, other, "card_requests")
        yield "… bytes read", *_averages(one, other, "bytes")
        yield "… bytes to the browser", *_averages(one, other, "browser_bytes")
        yield "… CPU, ms", *_averages(one, other, "cpu_ms")
        yield "… most CPU, ms", max(a.cpu_ms for a in one), max(a.cpu_ms for a in other)
        usd = fmean(map(_files_usd, one)), fmean(_segment_usd(a, rounds) for a in other)
        yield "… dollars of a million", usd[0] * _MILLION, usd[1] * _MILLION
    typed = files[2::3], segment[2::3]
    edge = [fmean(map(len, typed[1]))]
    edge.insert(0, fmean(sum(a.requests for a in visit) for visit in typed[0]))
    yield "a query as it is typed: requests of the edge", edge[0], edge[1]
    usd = (
        fmean(sum(map(_files_usd, visit)) for visit in typed[0]),
        fmean(
            sum(_segment_usd(a, _LATER_ROUNDS if n else _FIRST_ROUNDS) for n, a in enumerate(visit))
            for visit in typed[1]
        ),
    )
    yield "… dollars of a million", usd[0] * _MILLION, usd[1] * _MILLION


def _averages(one: Sequence[Answer], other: Sequence[Answer], name: str) -> tuple[float, float]:
    return fmean(getattr(a, name) for a in one), fmean(getattr(a, name) for a in other)


def _files_usd(answer: Answer) -> float:
    return answer.requests * _EDGE_REQUEST + answer.bytes * _EDGE_BYTE


def _segment_usd(answer: Answer, rounds: int) -> float:
    seconds = answer.cpu_ms / 1000 + rounds * _ROUND_SECONDS
    edge = _EDGE_REQUEST + answer.browser_bytes * _EDGE_BYTE
    return edge + answer.requests * _S3_REQUEST + _LAMBDA_REQUEST + seconds * _LAMBDA_SECOND


def _report_parts(figures: Mapping[str, Any]) -> list[Part]:
    text = (
        f"{figures['objects']:,} made-up objects, {figures['queries']} queries of one to three "
        "words and beginnings with twenty cards each, averages. Files are read by the site's own "
        "script in Node, the segment by what the search in all pages reads it with; both lie on "
        f"this machine. {figures['equal_answers']} queries find the same objects in both: the "
        "script reads six files at most of words that begin with the last one. Dollars with 20 ms "
        "for each round to S3."
    )
    rows = [
        [row["of"], format_figure(row["files"]), format_figure(row["segment"])]
        for row in figures["rows"]
    ]
    head = ["", "files in the browser", "a segment in a Lambda"]
    return [Text(text), Table("Both forms", head, rows)]


REPORT = Report(
    bench="search-forms",
    title="The search by titles in both forms of index",
    parts=_report_parts,
)
