"""The parameter `motivation` in both versions of Content Search."""

import pytest

from vitrine.errors import InvalidRequest
from vitrine.search.content.motivations import (
    MAX_MOTIVATION_LENGTH,
    RequestedMotivations,
    read_motivations,
)


def requested(text: str, version: int) -> RequestedMotivations:
    """What a parameter asks for."""
    read = read_motivations(text, version)
    assert read
    return read


@pytest.mark.parametrize(
    ("text", "version", "has_text", "has_comment"),
    [
        ("painting", 1, True, False),
        ("sc:painting", 1, True, False),
        ("non-painting", 1, False, True),
        ("commenting painting", 1, True, True),
        ("supplementing", 1, True, False),
        ("painting", 2, False, False),
        ("non-painting", 2, True, True),
        ("supplementing", 2, True, False),
        ("oa:Commenting", 2, False, True),
        ("tagging", 2, False, False),
        ("nothing-known", 2, False, False),
    ],
)
def test_texts_and_comments_are_wanted_as_the_standards_say(
    text: str, version: int, has_text: bool, has_comment: bool
) -> None:
    read = requested(text, version)
    assert (read.has_text, read.has(("commenting",))) == (has_text, has_comment)


def test_without_motivations_all_is_wanted() -> None:
    assert read_motivations(" ", 1) is None
    assert read_motivations("", 2) is None


def test_too_many_are_refused() -> None:
    with pytest.raises(InvalidRequest):
        read_motivations("x" * (MAX_MOTIVATION_LENGTH + 1), 2)
