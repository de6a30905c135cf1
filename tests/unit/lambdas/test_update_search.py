"""The handler that brings the searches up to date finds the texts of what was published."""

import time
from typing import Any

import msgspec
import pytest

from lambdas.update_search import handler
from tests.unit.catalogue.object_bench import shelf
from tests.unit.lambdas.lambda_functions import Functions, batch, batch_of
from tests.unit.search.content.content_bench import page
from vitrine.adapters.memory.messaging import MemoryQueue
from vitrine.catalogue.objects import Objects
from vitrine.errors import TransientError
from vitrine.search.content.build import build_index
from vitrine.search.content.query import parse_query
from vitrine.search.content.stored import StoredIndexes
from vitrine.search.full_text.search import FullTextSearch
from vitrine.search.titles.update import SearchUpdate
from vitrine.store.layout import INSIDE, PUBLICATIONS, publication_key, text_index_key
from vitrine.store.publications import Published, decode_publication, encode_publication
from vitrine.store.site_layout import FULL_TEXT


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> Functions:
    """Handlers over one set of memory adapters, with one collection that is published."""
    made = Functions(monkeypatch)
    Objects(made.publisher).put(shelf())
    return made


def _give_text(functions: Functions) -> None:
    """Let what is published name a text index, as of an object whose pages have a text."""
    site, key = functions.publisher.site, publication_key("shelf")
    publication = decode_publication(site.get(key)[0])
    assert isinstance(publication, Published)
    body = encode_publication(msgspec.structs.replace(publication, text_index="1"))
    site.put(key, body, content_type="x/y")
    index = build_index([page("two birds")])
    site.put(text_index_key("shelf", "1"), index, content_type="x/y")


def test_the_text_of_what_was_published_is_found(functions: Functions) -> None:
    _give_text(functions)
    functions("update_search", batch("{}"))
    site = functions.publisher.site
    found = FullTextSearch(site, StoredIndexes(site)).find(
        parse_query("birds"), 0, lambda *name: True
    )
    assert [one.identifier for one in found.items] == ["shelf"]


def test_a_run_without_time_for_any_text_is_tried_again_when_its_messages_are_seen_again(
    functions: Functions,
) -> None:
    functions("update_search", batch("{}"))
    _give_text(functions)
    with pytest.raises(TransientError, match="`vitrine collection index"):
        functions("update_search", batch("{}"), milliseconds=180_000)
    assert functions("update_search", batch("{}")) == {"batchItemFailures": []}


def test_a_run_that_is_cut_short_goes_on_until_all_texts_are_found_without_another_change(
    functions: Functions, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, names = functions.publisher.site, [f"book-{number:02}" for number in range(40)]
    for name in names:
        published = Published(revision=1, kind="manifest", documents={}, text_index="1")
        site.put(text_index_key(name, "1"), build_index([page("two birds")]), content_type="x/y")
        site.put(publication_key(name), encode_publication(published), content_type="x/y")
    monkeypatch.setattr(handler, "update_search", lambda *site, **options: SearchUpdate())
    queue, runs = MemoryQueue(), 0
    monkeypatch.setattr(handler, "own_queue", lambda event: queue)
    _let_reads_take_seconds(functions, monkeypatch)
    for _ in range(3):
        queue.send("{}")
    while taken := queue.take():
        runs += 1
        answer = functions("update_search", batch_of(taken), milliseconds=200_000)
        again = {one["itemIdentifier"] for one in answer["batchItemFailures"]}
        queue.delete(one for one in taken if f"message-{one.receipt}" not in again)
    assert 2 < runs < 10
    across = FullTextSearch(site, StoredIndexes(site))
    assert across.find(parse_query("birds"), 0, lambda *name: True).total == len(names)


def _let_reads_take_seconds(functions: Functions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each publication and each text index take a second of a clock that nothing else moves."""
    now, get = 0.0, functions.publisher.site.get

    def slow(key: str) -> Any:
        nonlocal now
        now += key.startswith(PUBLICATIONS) or (key.startswith(INSIDE) and FULL_TEXT not in key)
        return get(key)

    monkeypatch.setattr(functions.publisher.site, "get", slow)
    monkeypatch.setattr(time, "monotonic", lambda: now)
