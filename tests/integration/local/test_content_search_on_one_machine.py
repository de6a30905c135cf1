"""Searches inside an object from the edge to the Lambda: kept by query, ended by a withdrawal."""

import json
import time
import urllib.error
import urllib.request
from email.message import Message
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.integration.local.machines import draw
from tests.patience import until
from tests.unit.catalogue.object_bench import book
from tests.unit.search.content.content_bench import page
from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE
from vitrine.errors import ObjectMissing
from vitrine.iiif.presentation.model import Canvas
from vitrine.search.content.build import build_index
from vitrine.search.content.form import CONTENT_TYPE, index_name
from vitrine.store.layout import publication_key, text_index_key
from vitrine.store.publications import CONTENT_TYPE as PUBLICATION_TYPE
from vitrine.store.publications import Published, decode_publication, encode_publication

if TYPE_CHECKING:
    from conftest import Service

NAME = "searched/book"
PATH = "/inside/3/searched%2Fbook"
EDGE_SECONDS = 420


@pytest.fixture(scope="module")
def running(service: "Service", tmp_path_factory: pytest.TempPathFactory) -> "Service":
    """The tests' service with a book of one page that has a text."""
    folder = tmp_path_factory.mktemp("searched")
    draw(folder / "page.tif", 7)
    done = service.run("ingest", folder / "page.tif", "--identifier", "searched-page")
    assert done.returncode == 0, done.stdout + done.stderr
    record = folder / "object.json"
    item = book(NAME, "A book", canvases=(Canvas(image="searched-page"),))
    record.write_bytes(msgspec.json.encode(item))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DIRECTORY_VARIABLE, service.environment[DIRECTORY_VARIABLE])
        # Its page is the last that the image's event brings: after that, none publishes the book.
        until(lambda: _has_page("searched-page"))
        done = service.run("object", "put", record)
        assert done.returncode == 0, done.stdout + done.stderr
        _give_text(Path(folder))
    return service


def _has_page(name: str) -> bool:
    try:
        return bool(deployed_publisher().site.head(f"objects/{name}"))
    except ObjectMissing:
        return False


def _give_text(folder: Path) -> None:
    """Let the publication name a text index, as publishing does of what has a text."""
    site, key, name = deployed_publisher().site, publication_key(NAME), index_name([str(folder)])
    publication = decode_publication(site.get(key)[0])
    assert isinstance(publication, Published)
    index = build_index([page("There are two birds", "in the bush")])
    site.put(text_index_key(NAME, name), index, content_type=CONTENT_TYPE)
    body = encode_publication(msgspec.structs.replace(publication, text_index=name))
    site.put(key, body, content_type=PUBLICATION_TYPE)


def _ask(service: "Service", path: str) -> tuple[int, Message, Any]:
    try:
        with urllib.request.urlopen(service.addresses.edge_url + path, timeout=60) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, json.loads(error.read() or b"{}")


def test_a_query_is_answered_once_and_then_kept_in_all_its_spellings(running: "Service") -> None:
    status, headers, found = _ask(running, f"{PATH}/search-2?q=Birds&page=1")
    assert (status, headers["x-cache"]) == (200, "MISS")
    (match,) = found["items"]
    base = running.addresses.edge_url
    assert match["target"] == f"{base}/presentation/3/searched%2Fbook/canvas/1#xywh=140,0,50,15"
    status, headers, again = _ask(running, f"{PATH}/search-2?utm=x&q=+birds+")
    assert (status, headers["x-cache"], again) == (200, "HIT", found)


def test_other_versions_pages_and_terms_have_answers_of_their_own(running: "Service") -> None:
    path = f"{PATH.replace('/3/', '/2/')}/search-1?q=birds&motivation"
    older = _ask(running, f"{path}=painting&user=x")[2]
    assert older["within"]["ignored"] == ["user"]
    assert _ask(running, f"{path}=non-painting")[2]["resources"] == []
    assert "/presentation/2/" in older["resources"][0]["on"]
    assert "ignored" not in _ask(running, f"{PATH}/search-1?q=birds")[2]["within"]
    assert _ask(running, f"{PATH}/search-2?q=birds&page=2")[2]["items"] == []
    assert [one["match"] for one in _ask(running, f"{PATH}/terms-1?q=b")[2]["terms"]] == [
        "birds",
        "bush",
    ]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{PATH}/search-2?q={'x' * 201}", 400),
        (f"{PATH}/search-2?q=%FF", 400),
        (f"{PATH}/search-2?q={'+'.join(map(str, range(17)))}", 400),
        (f"{PATH}/search-2?q=a&page=0", 400),
        (f"{PATH}/search-9?q=a", 404),
        ("/inside/3/unknown/search-2?q=a", 404),
        ("/inside/3/searched-page/search-2?q=a", 404),
        ("/inside/", 404),
    ],
)
def test_what_cannot_be_answered_says_why(running: "Service", path: str, status: int) -> None:
    found, headers, problem = _ask(running, path)
    assert (found, problem["status"]) == (status, status)
    assert headers["content-type"] == "application/problem+json"
    assert headers["access-control-allow-origin"] == "*"


def test_a_withdrawn_object_is_no_longer_found_at_the_edge(running: "Service") -> None:
    assert _ask(running, f"{PATH}/search-2?q=bush")[0] == 200
    done = running.run("object", "withdraw", NAME, "--reason", "A claim.")
    assert done.returncode == 0, done.stdout + done.stderr
    deadline = time.monotonic() + EDGE_SECONDS
    while (answer := _ask(running, f"{PATH}/search-2?q=bush"))[0] == 200:
        assert time.monotonic() < deadline
        time.sleep(1)
    assert (answer[0], answer[2]["detail"]) == (410, "A claim.")
