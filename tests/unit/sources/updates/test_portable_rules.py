"""Rules that an environment keeps mean what those of the file do, and name no path of it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.sources.iiif.books import book_rules
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.updates.portable_rules import _encode, portable_rules

SECRET = "/home/someone/Ödland 100%/collections"
RULES = f"""
# Kept in {SECRET}/books: ask there.
[collection]
identifier = "books"
label = {{ de = "Bücher", en = "Books \\"old\\" and new" }}
[source]
kind = "oai-pmh"
address = "https://library.example/oai"
table = "{SECRET}/table"
empty = ["n/a", "-"]
[object]
identifier = "{{oai:id}}"
label = "{{dc:title}}"
[metadata]
"Artist" = {{ value = "{{dc:creator}}", split = ";", facet = true }}
[redirects]
table = "{SECRET}/redirects.csv"
"""


def test_they_say_the_same_without_the_paths(tmp_path: Path) -> None:
    read = []
    for name, text in (("curator", RULES), ("environment", portable_rules(RULES))):
        (tmp_path / name).mkdir()
        path = tmp_path / name / "collection.toml"
        path.write_text(text, encoding="utf-8")
        mapping = read_mapping(path)
        read.append({key: vars(mapping)[key] for key in vars(mapping).keys() - _PLACES})
    assert read[0] == read[1]
    assert SECRET not in portable_rules(RULES)
    assert "someone" not in portable_rules(RULES)


_PLACES = {"folder", "table", "masters"}


def test_rules_without_a_path_stay_as_they_are() -> None:
    rules = book_rules("https://library.example", table="table", images="reference")
    assert tomllib.loads(portable_rules(rules)) == tomllib.loads(rules)


texts = st.text(st.characters(exclude_categories=("Cs",)))
values = st.recursive(
    st.one_of(texts, st.booleans(), st.integers(-(2**63), 2**63 - 1)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(texts, inner)),
    max_leaves=10,
)


@pytest.mark.slow
@given(st.dictionaries(texts, values, min_size=1))
def test_every_value_is_read_back(value: dict[str, Any]) -> None:
    assert tomllib.loads(f"a = {_encode(value)}")["a"] == value
