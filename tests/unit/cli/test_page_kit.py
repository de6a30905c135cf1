"""The page kit: what every page has, whatever its values are."""

from pathlib import Path

import pytest
from jinja2 import UndefinedError

from vitrine.cli.pages.kit import render, stylesheet

HOSTILE = "</style><script>alert(1)</script>\"'&"


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "own.html"
    path.write_text(
        '{% extends "page.html" %}{% block main %}<p id="{{ a }}">{{ a }}</p>{% endblock %}'
    )
    return path


def test_every_value_is_escaped(template: Path) -> None:
    page = render(template, title=HOSTILE, style="", a=HOSTILE)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 3


def test_a_value_that_is_missing_is_an_error(template: Path) -> None:
    with pytest.raises(UndefinedError):
        render(template, title="", style="")


def test_the_stylesheet_follows_dark_screens_prints_and_loads_nothing() -> None:
    css = stylesheet()
    assert "@media screen and (prefers-color-scheme:dark)" in css
    assert "@media print" in css
    assert "url(" not in css
    assert "@import" not in css
    assert "<" not in css
