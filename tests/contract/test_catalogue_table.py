"""What every CatalogueTable promises."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.contract.backends import Backend
from vitrine.ports import CatalogueTable, Statement

SAID = Statement(
    subject="image:nachtwache",
    author="schuttersstuk / 50%",
    revision=3,
    said_at="2026-11-29T09:00:00.000Z",
    says=("shows",),
)


@pytest.fixture
def catalogue(backend: Backend) -> CatalogueTable:
    """An empty catalogue."""
    return backend.catalogue()


def test_nothing_is_said_of_an_unheard_subject(catalogue: CatalogueTable) -> None:
    assert list(catalogue.about(SAID.subject)) == []


@pytest.mark.parametrize("says", [("shows",), ("names", "prints", "日本"), (), None])
def test_what_was_said_reads_back_equal(
    catalogue: CatalogueTable, says: tuple[str, ...] | None
) -> None:
    statement = replace(SAID, says=says)
    catalogue.write([statement])
    assert list(catalogue.about(SAID.subject)) == [statement]


def test_what_is_said_of_others_is_apart(catalogue: CatalogueTable) -> None:
    catalogue.write([SAID, replace(SAID, subject="member:nachtwache")])
    assert list(catalogue.about(SAID.subject)) == [SAID]


def test_each_revision_of_each_author_is_one_statement(catalogue: CatalogueTable) -> None:
    about_to_say = replace(SAID, says=None)
    later, other = replace(SAID, revision=10), replace(SAID, author="print room")
    for statement in (about_to_say, SAID, later, other):
        catalogue.write([statement])
    assert list(catalogue.about(SAID.subject)) == [other, SAID, later]


def test_more_is_written_and_read_than_fits_one_request(catalogue: CatalogueTable) -> None:
    long = ("names", *(f"{number:0250}" for number in range(40)))
    many = [replace(SAID, author=f"{number:05}", says=long) for number in range(130)]
    catalogue.write(many)
    assert list(catalogue.about(SAID.subject)) == many


@pytest.mark.parametrize(
    "numbers",
    [[], [7], [0, 1, 299], range(300), range(0, 300, 40), [5, 300, 5_000], [-1]],
    ids=lambda numbers: f"{len(numbers)} from {min(numbers, default='none')}",
)
def test_what_some_say_is_read_without_what_others_do(
    catalogue: CatalogueTable, numbers: Sequence[int]
) -> None:
    written = [
        replace(SAID, author=f"{number}é", revision=revision)
        for number in range(300)
        for revision in range(1, 100 if number == 7 else 3)
    ]
    catalogue.write(written)
    authors = {f"{number}é" for number in numbers}
    found = list(catalogue.about(SAID.subject, authors))
    said = [one for one in written if one.author in authors]
    assert found == sorted(said, key=lambda one: (one.author, one.revision))


def test_nothing_to_write_is_no_request(catalogue: CatalogueTable) -> None:
    catalogue.write([])
    assert list(catalogue.about(SAID.subject)) == []
