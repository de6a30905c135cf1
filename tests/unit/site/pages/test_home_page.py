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


def shown_large(name: str, service: str = f"{BASE}/iiif/3/dune") -> dict[str, Any]:
    picture = {"id": service, "width": 5001, "height": 3000}
    return {**entry("640,384", 640, 384), "identifier": name, "picture": picture}


def large_picture(page: str) -> str:
    found = re.search(r'<a class="hero" href="([^"]+)">\s*<img[^>]* srcset="([^"]+)"', page)
    return f"{found[1]} {found[2]}" if found else ""


def write(shown: HomeLists, chosen: dict[str, Any] | None = None) -> str:
    pages = write_home_pages(shown, read_theme(DEFAULT), BASE, chosen)
    return large_picture(pages[0].body.decode())


def test_the_newest_object_is_shown_large_in_sizes_that_are_held() -> None:
    shown = HomeLists(objects=[shown_large("new"), shown_large("old")])
    sizes = [("626,375", 626), ("1251,750", 1251), ("2501,1500", 2501)]
    choices = ", ".join(f"/iiif/3/dune/full/{one}/0/default.jpg {across}w" for one, across in sizes)
    assert write(shown) == f"/objects/new {choices}"


def test_the_object_that_the_theme_names_is_shown_in_its_place() -> None:
    shown = HomeLists(objects=[shown_large("new")])
    assert write(shown, shown_large("chosen")).startswith("/objects/chosen ")


def test_a_picture_of_another_server_is_not_shown_large() -> None:
    elsewhere = shown_large("elsewhere", "https://other.example/iiif/3/dune")
    assert write(HomeLists(objects=[elsewhere])) == ""
    assert write(HomeLists(objects=[shown_large("new")]), elsewhere).startswith("/objects/new ")
