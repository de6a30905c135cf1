"""`vitrine discovery`: a stream over HTTP is judged, and our own begins again."""

import json
from collections.abc import Iterator

import pytest

from tests.rigs.http_server import QuietHandler, run_server
from tests.unit.catalogue.object_bench import shelf
from tests.unit.cli.conftest import Run
from tests.unit.site.discovery.made_streams import BASE, COLLECTION, Stream
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.sources.harvest.guarded_http import NotHarvested


@pytest.fixture
def stream() -> Stream:
    return Stream()


@pytest.fixture
def address(stream: Stream) -> Iterator[str]:
    """The stream on a server of this machine, whose address stands for its own."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            try:
                body, status = stream.fetch(BASE + self.path), 200
            except NotHarvested:
                body, status = b"", 404
            self.send(status, {}, body.replace(BASE.encode(), server.encode()))

    with run_server(Handler) as port:
        server = f"http://127.0.0.1:{port}"
        yield COLLECTION.replace(BASE, server)


def test_a_good_stream_is_said_to_be_good(run_program: Run, address: str) -> None:
    result = run_program("discovery", "check", address, "--private-too", "--follow", "5")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        "3 pages, all of it; 7 activities: 2 Create, 1 Delete, 1 Move, 1 Refresh, 2 Update",
        "Level 2: changes, and what was made, moved and deleted",
        "3 objects were requested",
        "Errors: 0, warnings: 0",
    ]


def test_what_must_be_and_should_be_is_named_with_its_section(
    run_program: Run, address: str, stream: Stream
) -> None:
    stream.collection["totalItems"] = 8
    del stream.page(0)["partOf"]
    result = run_program("discovery", "check", address, "--private-too")
    assert result.exit_code == 1
    assert "SHOULD (3.2)" in result.stdout
    assert f"MUST (3.1) {address}: totalItems is 8, and its pages have 7" in result.stdout
    found = run_program("discovery", "check", address, "--private-too", "--json")
    document = json.loads(found.stdout)
    assert [one["is_error"] for one in document["findings"]] == [False, True]
    assert (document["level"], document["whole"]) == (2, True)


def test_many_findings_are_counted(run_program: Run, address: str, stream: Stream) -> None:
    stream.page(0)["orderedItems"] = [{}] * 30
    result = run_program("discovery", "check", address, "--private-too", "--pages", "3")
    assert " more: --json has all" in result.stdout


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("museum.example", "is no address: it begins with https://"),
        ("http://127.0.0.1:9/", "add --private-too"),
    ],
)
def test_what_is_no_stream_is_a_sentence(run_program: Run, given: str, sentence: str) -> None:
    result = run_program("discovery", "check", given)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_stream_that_is_not_there_is_a_sentence(run_program: Run, address: str) -> None:
    result = run_program("discovery", "check", f"{address}x", "--private-too")
    assert result.exit_code == 2
    assert "answers 404" in result.stderr


def test_a_refresh_names_what_is_published_and_nothing_else(
    run_program: Run, service: Deployment, publisher: Publisher
) -> None:
    objects = Objects(publisher)
    for name in ("shelf", "sold"):
        objects.put(shelf(name))
    objects.withdraw("sold", "It was sold.")
    result = run_program("discovery", "refresh")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        "Objects and collections named again: 1",
        "Stream: http://edge/discovery/changes.json",
    ]
    page = json.loads(service.site.get("discovery/changes/first.json")[0])
    refresh, named = page["orderedItems"]
    assert refresh["type"] == "Refresh"
    assert named["object"]["id"] == "http://edge/presentation/3/shelf/collection.json"
