"""The library of five books, which tests of the index start from."""

import pytest

from tests.unit.present.across.across_bench import Library
from tests.unit.present.inside.inside_bench import page


@pytest.fixture
def library() -> Library:
    made = Library()
    for number in range(5):
        made.publish(f"book-{number}", page(f"word number{number}"), page("word"))
    made.update()
    return made
