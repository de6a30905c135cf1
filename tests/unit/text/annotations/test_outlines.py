"""Outlines are shapes, and nothing else."""

import pytest

from vitrine.errors import TextRefused
from vitrine.text.annotations.outlines import MAX_SHAPES, MAX_SVG_CHARACTERS
from vitrine.text.annotations.outlines import read_outline as read_for
from vitrine.text.transcription.page_text import CanvasSize

OPEN = '<svg xmlns="http://www.w3.org/2000/svg">'


def read_outline(svg: str) -> str:
    """An outline on a page of 100 by 200 pixels."""
    return read_for(svg, CanvasSize(100, 200))


def test_shapes_are_kept_in_their_groups() -> None:
    svg = f'{OPEN}<g transform="scale(2)"><circle cx="1" cy="2" r="3"/></g></svg>'
    assert read_outline(svg) == svg


@pytest.mark.parametrize(
    "inner",
    [
        "<script>x()</script>",
        "<style>path{}</style>",
        '<image href="https://a.example"/>',
        '<a href="javascript:x()"><path d="M1"/></a>',
        '<use xmlns:x="http://www.w3.org/1999/xlink" x:href="#a"/>',
        "<foreignObject><p>x</p></foreignObject>",
        "<!-- a --><?b?>",
    ],
)
def test_all_else_is_left_out(inner: str) -> None:
    assert read_outline(f"{OPEN}{inner}</svg>") == '<svg xmlns="http://www.w3.org/2000/svg"/>'


@pytest.mark.parametrize(
    "attribute", ['onclick="x()"', 'style="fill:red"', 'd="M1&lt;"', 'transform="url(a:b)"']
)
def test_attributes_that_are_no_geometry_are_left_out(attribute: str) -> None:
    assert "path/>" in read_outline(f"{OPEN}<path {attribute}/></svg>")


@pytest.mark.parametrize(
    "svg",
    [
        "",
        "<svg",
        "<html/>",
        "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>&a;</svg>",
        f"{OPEN}{' ' * MAX_SVG_CHARACTERS}</svg>",
        f"{OPEN}{'<path/>' * MAX_SHAPES}</svg>",
        "<g>" * 300,
    ],
)
def test_what_is_no_outline_is_refused(svg: str) -> None:
    with pytest.raises(TextRefused) as refused:
        read_outline(svg)
    assert refused.value.code == "outline"


@pytest.mark.parametrize("box", ["0 0 100 200", "0,0,100.0,200"])
def test_a_view_of_the_whole_page_says_nothing(box: str) -> None:
    svg = f'<svg viewBox="{box}" width="50" height="100"><path d="M1,2"/></svg>'
    assert read_outline(svg) == f'{OPEN}<path d="M1,2"/></svg>'


@pytest.mark.parametrize(
    "svg",
    [
        '<svg viewBox="0 0 10 20"><path d="M1,2"/></svg>',
        '<svg viewBox="1 0 100 200"/>',
        '<svg viewBox="none"/>',
        '<svg><rect x="10%" y="0" width="5" height="5"/></svg>',
    ],
)
def test_coordinates_that_are_no_pixels_of_the_page_are_refused(svg: str) -> None:
    with pytest.raises(TextRefused, match="its outline has"):
        read_outline(svg)
