"""The library of five books, which tests of the index start from."""

import pytest

from tests.unit.search.content.content_bench import page
from tests.unit.search.full_text.full_text_bench import Library


@pytest.fixture
def library() -> Library:
    made = Library()
    for number in range(5):
        made.publish(f"book-{number}", page(f"word number{number}"), page("word"))
    made.update()
    return made
