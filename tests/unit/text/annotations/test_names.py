"""Short texts of annotations: their identifiers, moments and creators."""

import re
from typing import Any

import pytest

from tests.unit.text.annotations.annotation_bench import comment, read, read_one


@pytest.mark.parametrize(
    "identifier", ["https://a.example/notes/1", "urn:uuid:1-2", "note-1", " Füße ", "#1"]
)
def test_an_identifier_in_the_file_is_what_an_annotation_is_named_by(identifier: str) -> None:
    named = read_one(comment(id=identifier)).own_name
    assert re.fullmatch("[0-9a-f]{8}", named)
    assert read_one(comment("another", id=identifier)).own_name == named
    assert read_one(comment(id=f"{identifier.strip()}x")).own_name != named


@pytest.mark.parametrize(
    "identifier", [None, 7, "", " ", "_:b0", "two words", "a\0b", "x" * 2_001, ["a"], {"id": "a"}]
)
def test_what_is_no_identifier_names_nothing(identifier: Any) -> None:
    assert read_one(comment(id=identifier)).own_name == ""


@pytest.mark.parametrize("name", ["created", "modified"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("2019-05-01", " '2019-05-01'"),
        ("yesterday", " 'yesterday'"),
        ("2026-13-01T00:00:00Z", " '2026-13-01T00:00:00Z'"),
        ("9" * 300, f" '{'9' * 200}'"),
        (["2026"], ""),
        (7, ""),
        ("\ud800", " '\ufffd'"),
    ],
)
def test_an_invalid_moment_is_named_and_the_annotation_is_read_without_it(
    name: str, value: Any, shown: str
) -> None:
    found = read(comment("first"), comment("second", **{name: value}))
    remark = found.pages[1][1]
    assert (remark.bodies[0].value, remark.created, remark.modified) == ("second", "", "")
    sentence = f"its {name}{shown} is no moment, such as 2026-01-31T00:00:00Z, and left out"
    assert (found.notes, found.refused) == ([(2, sentence)], [])


def test_nothing_is_noted_of_an_empty_moment_or_of_an_annotation_that_is_refused() -> None:
    assert read(comment(created=None, modified=" ")).notes == []
    assert read(comment(target=7, created="2019-05-01")).notes == []


@pytest.mark.parametrize(
    ("creator", "kept"),
    [
        ("Ada", "Ada"),
        ({"name": "Ada"}, "Ada"),
        ({"id": "https://a.example/ada"}, "https://a.example/ada"),
        ("https://a.example/ada", "https://a.example/ada"),
    ],
)
def test_who_wrote_it_is_a_name_or_an_address(creator: Any, kept: str) -> None:
    assert read_one(comment(creator=creator)).creator == kept
