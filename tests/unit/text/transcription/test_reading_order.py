"""Regions of PAGE XML follow each other as the file says they are read."""

import os
from pathlib import Path

import pytest

from tests.unit.text.transcription.text_bench import CANVAS, page_xml, read, refusal, words
from vitrine.text.transcription import reading_order
from vitrine.text.transcription.read_text import read_text

FOLDER = Path(os.environ.get("OCR_PAGES", "none")) / "page"


def region(name: str, text: str = "", inside: str = "", of: str = "TextRegion") -> str:
    """A region that says its own name, or a text."""
    said = f"<TextEquiv><Unicode>{text or name}</Unicode></TextEquiv>" if of == "TextRegion" else ""
    return f'<{of} id="{name}">{said}{inside}</{of}>'


def reference(name: str, index: int | None = None) -> str:
    """The name of a region in a group."""
    if index is None:
        return f'<RegionRef regionRef="{name}"/>'
    return f'<RegionRefIndexed regionRef="{name}" index="{index}"/>'


def group(*inside: str, name: str = "OrderedGroup", more: str = "") -> str:
    """A group of names and groups."""
    return f'<{name} id="g" {more}>{"".join(inside)}</{name}>'


def order(groups: str, regions: str) -> list[str]:
    """The words of a page in the order in which they are read."""
    page = read("1.xml", page_xml(f"<ReadingOrder>{groups}</ReadingOrder>{regions}"))
    return [word for line in words(page) for word in line]


ABC = region("a") + region("b") + region("c")


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ("", "a b c"),
        (group(reference("c", 0), reference("a", 1), reference("b", 2)), "c a b"),
        (group(reference("c", 2), reference("a", 1), reference("b", 0)), "b a c"),
        (group(reference("c", 0)), "c a b"),
        (group(reference("c", 0), reference("nowhere", 1), reference("a", 2)), "c a b"),
        (group(reference("c", 0), reference("c", 1), reference("b", 2)), "c b a"),
        (group(reference("c"), reference("a"), name="UnorderedGroup"), "a c b"),
        (
            group(
                group(
                    reference("b", 1),
                    reference("c", 0),
                    name="OrderedGroupIndexed",
                    more='index="0"',
                ),
                reference("a", 1),
            ),
            "c b a",
        ),
        (
            group(
                reference("a", 1),
                group(
                    reference("c"),
                    reference("b"),
                    name="UnorderedGroupIndexed",
                    more='index="0"',
                ),
            ),
            "b c a",
        ),
        (
            group(
                group(reference("c", 0), reference("b", 1)),
                reference("a"),
                name="UnorderedGroup",
            ),
            "a c b",
        ),
    ],
)
def test_regions_are_read_in_the_order_of_the_groups(groups: str, expected: str) -> None:
    assert order(groups, ABC) == expected.split()


LINE = (
    '<TextLine><Coords points="{0},{1} {2},{3}"/><TextEquiv><Unicode>{4}</Unicode></TextEquiv>'
    "</TextLine>"
)
COLUMNS = [(10, 10, 20, 90, "left"), (30, 10, 40, 90, "middle"), (50, 10, 60, 90, "right")]
ROWS = [(10, 10, 90, 20, "upper"), (10, 30, 90, 40, "lower")]
SIDE_BY_SIDE = [(10, 12, 40, 30, "Name:"), (50, 10, 90, 28, "Ada")]


@pytest.mark.parametrize(
    ("stated", "lines", "expected"),
    [
        ("right-to-left", COLUMNS, "right middle left"),
        ("right-to-left", COLUMNS[::-1], "right middle left"),
        ("left-to-right", COLUMNS[::-1], "left middle right"),
        ("left-to-right", COLUMNS, "left middle right"),
        ("bottom-to-top", ROWS, "lower upper"),
        ("top-to-bottom", ROWS[::-1], "upper lower"),
        ("top-to-bottom", SIDE_BY_SIDE, "Name: Ada"),
        ("sideways", ROWS[::-1], "lower upper"),
        ("right-to-left", ROWS[:1], "upper"),
    ],
)
@pytest.mark.parametrize("is_of_page", [True, False])
def test_lines_follow_each_other_as_the_region_or_the_page_states(
    stated: str, lines: list[tuple[object, ...]], expected: str, is_of_page: bool
) -> None:
    said = f' textLineOrder="{stated}"'
    region = "".join(LINE.format(*line) for line in lines)
    region = f"<TextRegion{'' if is_of_page else said}>{region}</TextRegion>"
    page = page_xml(region).replace("<Page", f"<Page{said if is_of_page else ''}")
    assert [word for line in words(read("1.xml", page)) for word in line] == expected.split()


def test_a_region_brings_those_in_it_that_no_group_names() -> None:
    table = region("t", inside=region("x") + region("y"), of="TableRegion")
    groups = group(reference("t", 0), reference("a", 1), reference("x", 2))
    assert order(groups, ABC + table) == ["y", "a", "x", "b", "c"]


def test_a_group_may_be_the_order_inside_of_a_table() -> None:
    table = region("t", inside=region("x") + region("y"), of="TableRegion")
    inner = group(
        reference("y", 0),
        reference("x", 1),
        name="OrderedGroupIndexed",
        more='regionRef="t" index="0"',
    )
    assert order(group(inner, reference("c", 1)), ABC + table) == ["y", "x", "c", "a", "b"]


def test_a_word_is_joined_with_its_end_in_the_region_that_is_read_next() -> None:
    regions = region("a", "zum Men⸗") + region("b", "dazwischen") + region("c", "schen hin")
    groups = group(reference("a", 0), reference("c", 1), reference("b", 2))
    assert order(groups, regions) == ["zum", "Menschen", "hin", "dazwischen"]


def test_a_page_of_endless_regions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_order, "MAX_REGIONS", 100)
    assert refusal("1.xml", page_xml(region("a") * 101))[0] == "regions"
    groups = f"<ReadingOrder>{group(reference('a', 0) * 101)}</ReadingOrder>"
    assert refusal("1.xml", page_xml(groups))[0] == "regions"


def test_groups_that_are_nested_without_end_are_refused_as_no_xml() -> None:
    groups = "<UnorderedGroup>" * 1_000 + "</UnorderedGroup>" * 1_000
    assert refusal("1.xml", page_xml(f"<ReadingOrder>{groups}</ReadingOrder>"))[0] == "xml"


def test_groups_that_are_nested_deep_are_read_at_once() -> None:
    groups = "<UnorderedGroup>" * 200 + reference("c") + "</UnorderedGroup>" * 200
    assert order(groups, ABC) == ["c", "a", "b"]


def test_a_page_inside_of_a_region_is_refused() -> None:
    assert refusal("1.xml", page_xml(region("a", inside="<Page/>")))[0] == "pages"


@pytest.mark.skipif(not FOLDER.is_dir(), reason="NOT TESTED: OCR_PAGES names no folder")
@pytest.mark.parametrize(
    "name",
    [path.name for path in sorted(FOLDER.glob("*.xml")) if b"ReadingOrder" in path.read_bytes()],
)
def test_no_word_of_others_is_lost_or_doubled_by_their_order(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = FOLDER / name

    def pieces() -> list[str]:
        with path.open("rb") as file:
            page = read_text(name, file, CANVAS)
        return sorted("".join(w.text for line in page.lines for w in line.words))

    ordered = pieces()
    monkeypatch.setattr(reading_order.PageRegions, "add_reference", lambda *_: None)
    assert ordered == pieces()
