"""Of several who publish at the same time, the last one to write has seen the last change."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.catalogue.object_bench import ObjectBench, book
from tests.unit.site.pages.page_watch import text
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.catalogue.rebuild import rebuild_publications


def test_a_page_whose_attempt_was_overtaken_is_that_of_the_newer_record(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    put, done = bench.site.put, []

    def overtaken(key: str, *args: Any, **how: Any) -> Any:
        if key == "objects/book" and not done:
            done.append(key)
            bench.objects.put(book(title="Newer"))
        return put(key, *args, **how)

    bench.site.put = overtaken
    bench.objects.put(book(title="Older"))
    assert "<h1>Newer</h1>" in text(bench, "objects/book")


def overtake(bench: ObjectBench, key: str, act: Callable[[], object]) -> None:
    """Let another publisher act just before this page is written for the first time."""
    put, done = bench.site.put, []

    def overtaken(written: str, *args: Any, **how: Any) -> Any:
        if written == key and not done:
            done.append(key)
            act()
        return put(written, *args, **how)

    bench.site.put = overtaken


def test_a_rebuild_that_is_overtaken_leaves_the_newer_pages(bench: ObjectBench) -> None:
    bench.objects.put(book(title="Older"))
    bench.site.delete("objects/book")
    overtake(bench, "objects/book", lambda: bench.objects.put(book(title="Newer")))
    rebuild_publications(bench.publisher, with_pages=True)
    assert "<h1>Newer</h1>" in text(bench, "objects/book")


def test_a_rebuild_during_which_an_image_is_withdrawn_does_not_bring_it_back(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    bench.site.delete("objects/book")

    def withdraw() -> None:
        bench.withdraw_image("two")
        publish_changed_images(bench.publisher, ["two"])

    overtake(bench, "objects/book", withdraw)
    rebuild_publications(bench.publisher, with_pages=True)
    assert "/iiif/3/two/" not in text(bench, "objects/book")


def test_the_event_comes_after_the_pages_that_it_has_the_edge_forget(
    bench: ObjectBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    put = bench.site.put

    def noted(key: str, *args: Any, **how: Any) -> Any:
        order.append(key)
        return put(key, *args, **how)

    bench.site.put = noted
    monkeypatch.setattr(bench.events, "publish", lambda *event: order.append("event"))
    bench.objects.put(book())
    assert {"objects/book", "embed/book", "oembed/book"} < set(order[: order.index("event")])
