"""Whatever is in a file of annotations, each is read or refused."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.text.annotations.annotation_bench import (
    CANVAS,
    HERE,
    ONE,
    comment,
    read,
    read_bytes,
)
from vitrine.errors import TextRefused

ITEMS = [
    comment(),
    comment(target={"source": HERE, "selector": {"type": "PointSelector", "x": 1, "y": 2}}),
    comment(body=[{"value": "<p>x", "format": "text/html"}, "https://a.example/"], creator="A"),
    comment(
        target={
            "source": HERE,
            "selector": {"type": "SvgSelector", "value": "<svg><rect x='1'/></svg>"},
        }
    ),
]
FRAGMENTS = [
    *(b'"', b"{", b"[", b"7", b"null", b"true", b"\\ud800", b"\xff", b"\0", b"1e400", b"-"),
    *(b"xywh=0,0,0,0", b"<svg>", b"</svg>", b"&a;", b"text/html", b"Choice", b"<!DOCTYPE a>"),
]
MUTATIONS = st.lists(
    st.tuples(
        st.floats(0, 1), st.integers(0, 40), st.sampled_from(FRAGMENTS) | st.binary(max_size=8)
    ),
    max_size=6,
)
VALUES = st.recursive(
    st.sampled_from(["oa:Choice", "oa:SpecificResource", "oa:SvgSelector", "cnt:ContentAsText"])
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.just(HERE),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("id", "type", "value", "source", "selector", "items", "x", "y", "format"),
                    *("@id", "@type", "chars", "full", "default", "item"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def check_outcome(body: bytes) -> None:
    """A file is read within its limits, or refused with a code and a sentence."""
    refused: list[TextRefused] = []
    try:
        found = read_bytes(body, ONE)
        refused = [one for _, one in found.refused]
        for remark in found.pages.get(1, []):
            assert remark.motivations
            for x, y, width, height in remark.boxes:
                assert 0 <= x < x + width <= CANVAS.width
                assert 0 <= y < y + height <= CANVAS.height
    except TextRefused as error:
        refused = [error]
    for one in refused:
        assert one.code
        assert re.match(r"(it|its|those of its) ", str(one))


@given(MUTATIONS)
def test_a_damaged_file_is_read_or_refused_and_raises_nothing_else(
    mutations: list[tuple[float, int, bytes]],
) -> None:
    body = json.dumps({"type": "AnnotationPage", "items": ITEMS}).encode()
    for place, length, fragment in mutations:
        start = int(place * len(body))
        body = body[:start] + fragment + body[start + length :]
    check_outcome(body)


@given(st.sampled_from(["target", "body", "motivation", "creator", "created"]), VALUES)
def test_any_value_of_a_property_is_read_or_refused(name: str, value: Any) -> None:
    check_outcome(json.dumps([comment() | {name: value}]).encode())


OLDER = {
    "@type": "oa:Annotation",
    "motivation": "oa:commenting",
    "resource": {"@type": "cnt:ContentAsText", "chars": "a comment"},
    "on": HERE,
}


@given(st.sampled_from([*OLDER, "@id", "annotatedBy", "annotatedAt"]), VALUES)
def test_any_value_in_a_list_of_presentation_2_is_read_or_refused(name: str, value: Any) -> None:
    resources = [OLDER | {name: value}]
    check_outcome(json.dumps({"@type": "sc:AnnotationList", "resources": resources}).encode())
    check_outcome(json.dumps({"@type": value, "resources": value}).encode())


@pytest.mark.parametrize("name", ["resource", "on"])
def test_what_is_nested_deep_in_a_list_of_presentation_2_is_refused(name: str) -> None:
    value = '{"@type":"oa:SpecificResource","full":' * 400 + "1" + "}" * 400
    rest = ",".join(f'"{one}": {json.dumps(what)}' for one, what in OLDER.items() if one != name)
    check_outcome(f'{{{rest}, "{name}": {value}}}'.encode())


def test_every_seed_is_read() -> None:
    assert len(read(*ITEMS).pages[1]) == len(ITEMS)
