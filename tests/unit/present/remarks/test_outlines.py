"""Outlines are shapes, and nothing else."""

import pytest

from vitrine.errors import TextRefused
from vitrine.present.remarks.outlines import LONGEST, MOST_SHAPES, read_outline

OPEN = '<svg xmlns="http://www.w3.org/2000/svg">'


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
        f"{OPEN}{' ' * LONGEST}</svg>",
        f"{OPEN}{'<path/>' * MOST_SHAPES}</svg>",
        "<g>" * 300,
    ],
)
def test_what_is_no_outline_is_refused(svg: str) -> None:
    with pytest.raises(TextRefused) as refused:
        read_outline(svg)
    assert refused.value.code == "outline"
