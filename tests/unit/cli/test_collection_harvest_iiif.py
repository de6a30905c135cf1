"""`vitrine collection harvest` of a IIIF collection: to objects that can be checked and shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.sources.iiif.books import ONE, TWO, book_rules, serve_books
from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
)


@pytest.fixture
def server() -> Iterator[IiifServer]:
    with serve_books({"/b1": ONE, "/b2": TWO}) as started:
        started.documents["/b2"] = {"type": "AnnotationPage", "id": "x"}
        yield started


@pytest.fixture
def rules(server: IiifServer, tmp_path: Path) -> Path:
    path = tmp_path / "collection.toml"
    path.write_text(book_rules(server.address, table="manifests", masters="images"))
    return path


def test_manifests_are_fetched_checked_and_shown(run_program: Run, rules: Path) -> None:
    result = run_program("collection", "harvest", str(rules), "--private-too")
    assert result.exit_code == 0, result.stderr
    assert "2 new records, 0 changed, 0 unchanged, 0 deleted; 1 images" in result.stdout
    checked = run_program("collection", "check", str(rules))
    assert checked.exit_code == 1
    assert checked.stdout.startswith("1 objects of 1 pages; 1 image files are there")
    assert "it is no manifest: 'AnnotationPage' is its type" in checked.stdout
    assert "1 of its pages have no alternative text" in checked.stdout
    shown = run_program("collection", "preview", str(rules), "--no-open")
    assert shown.exit_code == 0
    assert "Book /b1" in (rules.parent / "collection-preview/index.html").read_text()


def test_what_could_not_be_fetched_is_named(
    run_program: Run, rules: Path, server: IiifServer
) -> None:
    server.trouble = lambda path: (404, {}, b"") if path.endswith(".jpg") else None
    result = run_program("collection", "harvest", str(rules), "--private-too")
    assert result.exit_code == 1
    assert "Not fetched: 1\n" in result.stdout
    checked = run_program("collection", "check", str(rules))
    assert "1 of its 1 images were not fetched yet" in checked.stdout


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("[source]", "[object]\n[source]", "object: manifests say that themselves"),
        ('"iiif"', '"manifest"', "'manifest' is neither 'oai-pmh' nor 'iiif'"),
    ],
)
def test_rules_that_cannot_be_used_say_why(
    run_program: Run, rules: Path, before: str, after: str, sentence: str
) -> None:
    rules.write_text(rules.read_text().replace(before, after))
    result = run_program("collection", "harvest", str(rules))
    assert (result.exit_code, sentence in result.stderr) == (2, True), result.stderr


def test_before_the_first_harvest_check_says_what_to_do(run_program: Run, rules: Path) -> None:
    result = run_program("collection", "check", str(rules))
    assert result.exit_code == 2
    assert "no manifests in" in result.stderr


def test_images_may_stay_where_they_are(run_program: Run, rules: Path, server: IiifServer) -> None:
    rules.write_text(rules.read_text().replace('masters = "images"', 'images = "reference"'))
    result = run_program("collection", "harvest", str(rules), "--private-too")
    assert result.exit_code == 0, result.stderr
    assert not any(path.startswith(ONE) for path in server.requests)
    checked = run_program("collection", "check", str(rules))
    assert checked.stdout.startswith("1 objects of 1 pages; 0 image files are there")
    assert "were not fetched yet" not in checked.stdout


def test_every_harvest_is_listed_also_one_that_failed(
    run_program: Run, rules: Path, server: IiifServer
) -> None:
    before = run_program("collection", "harvests", str(rules))
    assert (before.exit_code, before.stdout[:21]) == (1, "There was no harvest ")
    run_program("collection", "harvest", str(rules), "--private-too")
    listed = run_program("collection", "harvests", str(rules))
    assert listed.exit_code == 0
    assert listed.stdout.endswith("Z: 2 new, 1 images\n")
    server.trouble = lambda path: (200, {}, b"<html>Maintenance</html>")
    run_program("collection", "harvest", str(rules), "--private-too")
    again = run_program("collection", "harvests", str(rules))
    assert again.exit_code == 1
    assert "/top cannot be used: it is not JSON" in again.stdout.splitlines()[-1]
    assert run_program("collection", "check", str(rules)).stdout.startswith("1 objects of 1 pages")
