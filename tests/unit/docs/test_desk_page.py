"""docs/howto/curate-at-the-desk.md calls what is on the desk as the desk does."""

import re

import pytest

from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.local.site_bundle import DESK

PAGE = (REPOSITORY / "docs/howto/curate-at-the-desk.md").read_text()
WORDS = (DESK / "words.ts").read_text()
NAMED = sorted({" ".join(name.split()) for name in re.findall(r"\*\*(.+?)\*\*", PAGE, re.DOTALL)})
LITERALS = re.findall(r"'((?:[^'\\\n]|\\.)+)'|`([^`]+)`", WORDS)
EXPRESSION = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")


def _is_said(name: str) -> bool:
    """Return True if a text of the desk is this one, its numbers and names filled in."""
    for plain, template in LITERALS:
        pattern = ".+".join(map(re.escape, EXPRESSION.split(plain or template)))
        if re.search(r"\w", EXPRESSION.sub("", plain or template)) and re.fullmatch(pattern, name):
            return True
    return False


def test_the_page_names_things_of_the_desk() -> None:
    assert len(NAMED) > 15


@pytest.mark.parametrize("name", NAMED)
def test_what_the_page_names_is_on_the_desk(name: str) -> None:
    name = name.replace("…", "3") if "version …" in name else name
    assert _is_said(name)


def test_a_name_that_the_desk_does_not_have_is_found() -> None:
    assert not _is_said("Send it to everybody")
