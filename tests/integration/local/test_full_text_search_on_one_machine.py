"""Searches across objects from the edge to the Lambda: two books, of which one is withdrawn."""

import json
import time
import urllib.request
from email.message import Message
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.local.books_with_texts import publish_books

if TYPE_CHECKING:
    from conftest import Service

PATH = "/inside/3/search-2"
EDGE_SECONDS = 420
UPDATE_SECONDS = 720
"""A batch of changes waits for two minutes, and the function that answers reads the list again
after half a minute."""


@pytest.fixture(scope="module")
def running(service: "Service", tmp_path_factory: pytest.TempPathFactory) -> "Service":
    """The tests' service with two books that have a word in common."""
    publish_books(
        service,
        tmp_path_factory.mktemp("across"),
        "across",
        {"hedge": "A gooseberry grows in the hedge", "pie": "The pie has a gooseberry"},
        {"On hedges": "hedge", "On pies": "pie"},
        "gooseberry",
    )
    return service


def _ask(service: "Service", path: str) -> tuple[Any, Message]:
    with urllib.request.urlopen(service.addresses.edge_url + path, timeout=60) as answer:
        return json.load(answer), answer.headers


def _titles(found: Any) -> set[str]:
    return {item["target"]["partOf"][0]["label"]["en"][0] for item in found["items"]}


def test_books_are_found_once_they_are_published_and_a_query_is_kept_in_all_its_spellings(
    running: "Service",
) -> None:
    found, headers = _ask(running, f"{PATH}?q=Gooseberry")
    assert _titles(found) == {"On hedges", "On pies"}
    assert headers["x-cache"] == "MISS"
    assert found["partOf"][0]["found"] == {"objects": 2, "pages": 2, "isExact": True}
    again, headers = _ask(running, f"{PATH}?utm=x&start=0&q=+gooseberry")
    assert (again, headers["x-cache"]) == (found, "HIT")


def test_a_match_leads_to_its_place_on_the_canvas_of_its_object(running: "Service") -> None:
    base = running.addresses.edge_url
    found, _ = _ask(running, f"{PATH}?q=pie")
    (item,) = found["items"]
    assert item["target"]["id"] == (f"{base}/presentation/3/across-2/canvas/1#xywh=50,20,30,10")
    manifest, _ = _ask(running, item["target"]["partOf"][0]["id"].removeprefix(base))
    assert manifest["items"][0]["id"] == item["target"]["id"].partition("#")[0]
    older, _ = _ask(running, "/inside/2/search-1?q=pie")
    label = older["resources"][0]["on"]["within"]["label"]
    assert label == {"@value": "On pies", "@language": "en"}


def test_a_withdrawn_book_is_gone_from_the_edge_and_then_from_the_index(
    running: "Service",
) -> None:
    assert len(_titles(_ask(running, f"{PATH}?q=gooseberry")[0])) == 2
    done = running.run("object", "withdraw", "across-1", "--reason", "A claim.")
    assert done.returncode == 0, done.stdout + done.stderr
    # Nothing that was not asked yet has it, whatever the index says.
    assert _titles(_ask(running, f"{PATH}?q=hedge")[0]) == set()
    deadline = time.monotonic() + EDGE_SECONDS
    while _titles(_ask(running, f"{PATH}?q=gooseberry")[0]) != {"On pies"}:
        assert time.monotonic() < deadline
        time.sleep(1)
    deadline = time.monotonic() + UPDATE_SECONDS
    tries = 0
    while True:
        tries += 1
        # Another query for the edge, and the same words.
        found, _ = _ask(running, f"{PATH}?q=gooseberry+{'!' * tries}")
        if found["partOf"][0]["found"]["objects"] == 1:
            return
        assert time.monotonic() < deadline
        time.sleep(5)
