"""The first page offers thumbnails in sizes that are held."""

import re
from typing import Any

import pytest

from vitrine.site.home_list import HomeLists
from vitrine.site.pages.home_page import write_home_pages
from vitrine.site.pages.theme import DEFAULT, read_theme

BASE = "https://images.example.org"
SERVICE = f"{BASE}/iiif/3/dune/full"


def entry(name: str, width: int, height: int) -> dict[str, Any]:
    thumbnail = {"id": f"{SERVICE}/{name}/0/default.jpg", "width": width, "height": height}
    return {"identifier": "dune", "label": {"en": ["Dune"]}, "thumbnail": thumbnail}


@pytest.mark.parametrize(
    ("name", "size", "widths"),
    [
        ("640,399", (640, 399), [("320,200", 320), ("640,399", 640)]),
        ("353,199", (353, 199), [("353,199", 353)]),
        ("max", (640, 399), [("max", 640)]),
    ],
)
def test_a_thumbnail_comes_with_the_next_smaller_level(
    name: str, size: tuple[int, int], widths: list[tuple[str, int]]
) -> None:
    shown = HomeLists(objects=[entry(name, *size)])
    page = write_home_pages(shown, read_theme(DEFAULT), BASE)[0].body.decode()
    choices = re.search(r'srcset="([^"]+)"', page)
    assert choices
    offered = [f"/iiif/3/dune/full/{one}/0/default.jpg {across}w" for one, across in widths]
    assert choices[1] == ", ".join(offered)
