"""Reading a manifest: every form that spreadsheets write, and every way to damage it."""

import json
from pathlib import Path
from typing import Any

import pytest

from vitrine.errors import MigrationUnusable
from vitrine.migrate.manifest import MAX_LINE_LENGTH, read_manifest
from vitrine.migrate.manifest_row import BadRow, ManifestRow


def read(tmp_path: Path, text: str | bytes, name: str = "m.csv") -> list[ManifestRow | BadRow]:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_manifest(path))


def rows(tmp_path: Path, text: str | bytes) -> list[tuple[Any, ...]]:
    return [
        (row.line, row.source, row.identifier, dict(row.metadata))
        for row in read(tmp_path, text)
        if isinstance(row, ManifestRow)
    ]


def problems(tmp_path: Path, text: str | bytes) -> list[tuple[int, str]]:
    return [
        (row.line, row.problem.sentence)
        for row in read(tmp_path, text)
        if isinstance(row, BadRow) and row.problem.code == "bad-row"
    ]


PLAIN = "source,identifier,title\na.tif,A,The Night Watch\nb.tif,,\n"
EXPECTED = [(2, "a.tif", "A", {"title": "The Night Watch"}), (3, "b.tif", "", {})]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(PLAIN, id="plain"),
        pytest.param("\ufeff" + PLAIN, id="byte-order mark"),
        pytest.param(PLAIN.replace("\n", "\r\n"), id="crlf"),
        pytest.param(PLAIN.replace(",", ";"), id="semicolons"),
        pytest.param(PLAIN.replace(",", "\t"), id="tabs"),
        pytest.param(PLAIN.replace("A,The Night Watch", '"A","The Night Watch"'), id="quotes"),
        pytest.param(PLAIN.replace("source,identifier", " Source , IDENTIFIER "), id="case"),
        pytest.param(PLAIN.rstrip("\n"), id="no last end"),
        pytest.param(PLAIN.replace("b.tif,,", "b.tif"), id="short row"),
        pytest.param(PLAIN.replace("b.tif,,", "b.tif,,,"), id="empty cell too many"),
    ],
)
def test_what_spreadsheets_write_is_read_alike(tmp_path: Path, text: str) -> None:
    assert rows(tmp_path, text) == EXPECTED


def test_a_row_of_several_lines_has_its_first_ones_number(tmp_path: Path) -> None:
    text = 'source,title\r\na.tif,"one\r\ntwo, ""three"""\r\n\r\nb.tif,x\r\n'
    assert rows(tmp_path, text) == [
        (2, "a.tif", "", {"title": 'one\r\ntwo, "three"'}),
        (5, "b.tif", "", {"title": "x"}),
    ]


def test_json_lines_keep_what_they_hold(tmp_path: Path) -> None:
    lines = [
        {"source": "a.tif", "identifier": "A", "maker": {"name": "Rembrandt", "born": 1606}},
        {"source": "b.tif", "identifier": 7},
    ]
    text = "\ufeff" + "\r\n\r\n".join(json.dumps(line) for line in lines)
    assert rows(tmp_path, text) == [
        (1, "a.tif", "A", {"maker": {"name": "Rembrandt", "born": 1606}}),
        (3, "b.tif", "7", {}),
    ]


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ("a.tif,A,title,more", "has 4 cells, the header 3"),
        (",A,title", "has no source"),
        (", ,", "only empty cells"),
        ('a.tif,"A"b,title', "is not CSV"),
        (f"a.tif,A,{'x' * MAX_LINE_LENGTH}", "longer than"),
    ],
)
def test_a_bad_row_is_named_with_its_line_and_the_next_is_read(
    tmp_path: Path, row: str, word: str
) -> None:
    text = f"source,identifier,title\n{row}\nb.tif,B,next\n"
    [(line, sentence)] = problems(tmp_path, text)
    assert line == 2
    assert word in sentence
    assert rows(tmp_path, text) == [(3, "b.tif", "B", {"title": "next"})]


def test_a_quote_that_nothing_closes_swallows_no_row_unnoticed(tmp_path: Path) -> None:
    text = 'source,title\na.tif,"open\nb.tif,x\n'
    [(line, sentence)] = problems(tmp_path, text)
    assert (line, rows(tmp_path, text)) == (2, [])
    assert "is not CSV" in sentence


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("{", "is not JSON"),
        ('{"source": "a.tif", "x": NaN}', "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('"a.tif"', "not a JSON object"),
        ('{"identifier": "A"}', "no source"),
        ('{"source": ["a.tif"]}', "no source"),
        ('{"source": "a.tif", "identifier": ["A"]}', "identifier that is not text"),
        ('{"source": "a.tif", "title": "\\ud800"}', "not Unicode"),
        (json.dumps({"source": "a.tif", "title": "x" * MAX_LINE_LENGTH}), "longer than"),
    ],
)
def test_a_bad_line_of_json_is_named_and_the_next_is_read(
    tmp_path: Path, line: str, word: str
) -> None:
    text = '{"source": "1.tif"}\n' + line + '\n{"source": "b.tif"}\n'
    [(number, sentence)] = problems(tmp_path, text)
    assert number == 2
    assert word in sentence
    assert [row[1] for row in rows(tmp_path, text)] == ["1.tif", "b.tif"]


def test_bytes_that_are_not_utf_8_spoil_their_row_only(tmp_path: Path) -> None:
    text = b"source,title\na.tif,K\xf6nig\nb.tif,x\n"
    [(line, sentence)] = problems(tmp_path, text)
    assert line == 2
    assert "UTF-8" in sentence
    assert [row[1] for row in rows(tmp_path, text)] == ["b.tif"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "is empty"),
        ("\ufeff \r\n\r\n", "is empty"),
        ("file,title\na.tif,x\n", "no column `source`"),
        ("source,title,title\na.tif,x,y\n", "two columns called title"),
        ('"source\n', "not CSV"),
        ('[{"source": "a.tif"}]', "one JSON array"),
        ("source\na.tif\n".encode("utf-16"), "UTF-16"),
        (b"source,K\xf6nig\n", "UTF-8"),
    ],
)
def test_a_manifest_that_cannot_be_used_says_what_to_do(
    tmp_path: Path, text: str | bytes, word: str
) -> None:
    with pytest.raises(MigrationUnusable, match=word):
        read(tmp_path, text)
