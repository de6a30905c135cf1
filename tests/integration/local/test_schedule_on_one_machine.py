"""A collection of others is kept up to date by the timer of `vitrine up`, without any command."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.local.documents import ask
from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
    collection3,
    iiif_server,
    information,
    manifest3,
)
from vitrine.local.schedules import note_run, read_runs
from vitrine.sources.updates.schedule import UpdateRun
from vitrine.store.clock import rfc3339

if TYPE_CHECKING:
    from conftest import Service

RULES = """
[collection]
identifier = "kept-books"
label = "Books"
[source]
kind = "iiif"
address = "{address}/top"
table = "manifests"
masters = "images"
"""
ONE, TWO = "/iiif/3/kept-one", "/iiif/3/kept-two"
UPDATED_SECONDS = 360


@pytest.fixture
def source() -> Iterator[IiifServer]:
    made = IiifServer(
        documents={
            "/top": collection3("/top", ("Manifest", "/kept-b1")),
            "/kept-b1": manifest3("/kept-b1", ONE),
        },
        images={name: information(3, 40, 30) for name in (ONE, TWO)},
    )
    with iiif_server(made) as started:
        yield started


class Timer:
    """The schedule of the tests' service, with one collection on it."""

    def __init__(self, service: "Service", rules: Path) -> None:
        self.service, self.rules = service, str(rules)
        self.directory = Path(service.addresses.logs).parent

    def wait_for_run(self, begun_after: str) -> UpdateRun:
        """Return the next update once it has ended."""
        deadline = time.monotonic() + UPDATED_SECONDS
        while time.monotonic() < deadline:
            run = read_runs(self.directory).get(self.rules)
            if run and run.begun > begun_after and run.exit_code is not None:
                return run
            time.sleep(0.5)
        raise AssertionError((self.directory / "logs" / "timer.log").read_text()[-2_000:])

    def run_again(self, last: UpdateRun) -> UpdateRun:
        """Make the newest update one of two hours ago, and return the one that then begins."""
        earlier = datetime.fromisoformat(last.begun) - timedelta(hours=2)
        old = UpdateRun(begun=rfc3339(earlier), exit_code=last.exit_code, said=last.said)
        note_run(self.directory, self.rules, old)
        return self.wait_for_run(last.begun)


def test_what_changes_at_a_source_is_published_and_what_breaks_there_is_not(
    service: "Service", source: IiifServer, tmp_path: Path
) -> None:
    rules = tmp_path / "collection.toml"
    rules.write_text(RULES.format(address=source.address))
    begun = rfc3339(datetime.now(UTC) - timedelta(seconds=1))
    done = service.run("collection", "schedule", rules, "--every", "1", "--private-too")
    assert done.returncode == 0, done.stderr
    timer = Timer(service, rules)
    try:
        first = timer.wait_for_run(begun)
        assert (first.exit_code, first.said) == (0, "")
        assert shown(service, "kept-b1")["label"] == {"en": ["Book /kept-b1"]}
        assert service.run("image", "show", "kept-one").returncode == 0

        source.documents["/kept-b2"] = manifest3("/kept-b2", TWO)
        books = (("Manifest", "/kept-b1"), ("Manifest", "/kept-b2"))
        source.documents["/top"] = collection3("/top", *books)
        second = timer.run_again(first)
        assert second.exit_code == 0, second.said
        assert len(shown(service, "kept-b2")["items"]) == 1

        source.trouble = lambda path: (200, {}, b"<html>down for maintenance</html>")
        third = timer.run_again(second)
        assert (third.exit_code, "What was fetched is kept." in third.said) == (2, True)
        assert service.run("collection", "schedule").returncode == 1
        for book in ("kept-b1", "kept-b2"):
            assert len(shown(service, book)["items"]) == 1
        reports = json.loads(service.run("collection", "harvests", rules, "--json").stdout)
        assert [one["published"].get("made") for one in reports] == [1, 1, None]
        assert [bool(one["error"]) for one in reports] == [False, False, True]
    finally:
        assert service.run("collection", "schedule", rules, "--never").returncode == 0


def shown(service: "Service", identifier: str) -> dict[str, Any]:
    """Return the manifest of an object, as its origin answers."""
    status, document = ask(
        f"{service.addresses.origin_url}/presentation/3/{identifier}/manifest.json"
    )
    assert status == 200, document
    assert isinstance(document, dict)
    return document
