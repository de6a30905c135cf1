"""`vitrine collection update`: an image of a closed collection is closed before it is uploaded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run
from tests.unit.cli.memory_service import memory_migration
from tests.unit.sources.iiif.books import book_rules
from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
    collection3,
    iiif_server,
    information,
    manifest3,
)
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.identify.effective_rule import effective
from vitrine.records import Live


@pytest.fixture
def source() -> Iterator[IiifServer]:
    """Letters and maps; the letters of 1901 are a collection among those."""
    books = ("a", "b", "c", "d")
    documents = {f"/{book}": manifest3(f"/{book}", f"/iiif/3/{book}-1") for book in books}
    documents["/top"] = collection3("/top", ("Collection", "/letters"), ("Collection", "/maps"))
    documents["/letters"] = collection3("/letters", ("Collection", "/1901"), ("Manifest", "/a"))
    documents["/1901"] = collection3("/1901", ("Manifest", "/b"))
    documents["/maps"] = collection3("/maps", ("Manifest", "/c"))
    images = {f"/iiif/3/{book}-1": information(3, 40, 30) for book in books}
    with iiif_server(IiifServer(documents=documents, images=images)) as started:
        yield started


@pytest.fixture
def rules(
    source: IiifServer,
    service: Deployment,
    publisher: Publisher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path / "kept"))
    migration = memory_migration(service)
    monkeypatch.setattr("vitrine.cli.masters.migrate.migration_services", lambda _: migration)
    path = tmp_path / "collection.toml"
    path.write_text(book_rules(source.address, table="manifests", masters="images"))
    return path


def update(run_program: Run, rules: Path) -> None:
    """Harvest and publish what there is."""
    result = run_program("collection", "update", rules, "--private-too")
    assert result.exit_code == 0, result.stderr


def seen(service: Deployment, image: str) -> set[str]:
    """Return all rules under which an image was ever to be seen, by the rules of today."""
    history, rules = service.register.journal.history(image), service.rules()
    return {effective(record, rules) or "open" for record in history if isinstance(record, Live)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closed", "collection", "rule"),
    [
        ("1901", "/1901", "closed"),
        ("letters", "/1901", "closed"),
        ("letters", "/1902", "closed"),
        ("books", "/1901", "closed"),
        ("1901", "/letters", "open"),
        ("maps", "/1901", "open"),
    ],
)
def test_a_new_image_has_the_rule_of_the_inner_collection_that_will_list_it(
    run_program: Run,
    service: Deployment,
    source: IiifServer,
    rules: Path,
    closed: str,
    collection: str,
    rule: str,
) -> None:
    update(run_program, rules)
    assert run_program("access", "collection", closed, "closed").exit_code == 0
    if collection == "/1902":
        source.documents["/1902"] = collection3("/1902")
        source.documents["/letters"]["items"] += collection3("", ("Collection", "/1902"))["items"]
    source.documents[collection]["items"] += collection3("", ("Manifest", "/d"))["items"]
    update(run_program, rules)
    assert seen(service, "d-1") == {rule}
    update(run_program, rules)
    assert seen(service, "d-1") == {rule}


def say(rules: Path, rule: str) -> None:
    """Let the file say the rule of its collection."""
    label = 'label = "Books"\n'
    rules.write_text(rules.read_text().replace(label, f'{label}access = "{rule}"\n'))


def test_a_file_that_closes_a_collection_which_was_opened_opens_nothing_again(
    run_program: Run, service: Deployment, source: IiifServer, rules: Path
) -> None:
    update(run_program, rules)
    assert run_program("access", "collection", "books", "open").exit_code == 0
    source.documents["/b"] |= {"label": {"en": ["Another title"]}}
    source.documents["/1901"]["items"] += collection3("", ("Manifest", "/d"))["items"]
    say(rules, "closed")
    update(run_program, rules)
    assert seen(service, "d-1") == {"closed"}
    assert service.shown.get("b-1").access == "closed"


def test_a_file_with_a_rule_that_cannot_come_opens_nothing(
    run_program: Run, service: Deployment, source: IiifServer, rules: Path
) -> None:
    update(run_program, rules)
    assert run_program("access", "collection", "books", "staff").exit_code == 0
    assert run_program("object", "rename", "books", "volumes").exit_code == 0
    source.documents["/1901"]["items"] += collection3("", ("Manifest", "/d"))["items"]
    say(rules, "open")
    result = run_program("collection", "update", rules, "--private-too")
    assert result.exit_code == 2
    assert '"books" is the previous identifier of "volumes"' in result.stderr
    assert service.shown.get("b-1").access == "staff"
    assert not isinstance(service.identifiers.get("d-1"), Live)
