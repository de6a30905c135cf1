"""Templates over rows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.sources.mapping.template import Template

ROW = {"a": ["1"], "b": ["2", "3"], "none": [], "space": [" "], "two words": ["x"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a}", ["1"]),
        ("no. {a}.", ["no. 1."]),
        ("{b}", ["2", "3"]),
        ("{a}/{b}", ["1/2; 3"]),
        ("{ two words }", ["x"]),
        ("{none}", []),
        ("{a} {none}", []),
        ("{space}", []),
        ("{unknown}", []),
        ("fixed", ["fixed"]),
        ("{{{a}}}", ["{1}"]),
    ],
)
def test_it_is_filled_in(text: str, expected: list[str]) -> None:
    assert Template.parse(text).expand(ROW) == expected


@pytest.mark.parametrize("text", ["{", "}", "a {b", "{}", "{ }", "{a{b}}"])
def test_a_brace_that_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="brace that names no column"):
        Template.parse(text)


@given(st.text())
def test_any_text_is_itself_with_its_braces_doubled(text: str) -> None:
    assert Template.parse(text.replace("{", "{{").replace("}", "}}")).expand({}) == [text]
