"""The list behind the page."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitrine.adapters.memory.identifier_table import MemoryIdentifierTable
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.errors import PreconditionFailed, TransientError
from vitrine.identify.record import Live
from vitrine.present.gallery import GalleryServices, gallery_entry, merge, update_gallery


def entry(identifier: str, published_at: str, width: int = 1) -> dict[str, Any]:
    return {
        "identifier": identifier,
        "width": width,
        "height": 1,
        "published_at": published_at,
    }


def services(*images: Live, length: int = 3) -> GalleryServices:
    return GalleryServices(
        site=MemoryObjectStore(), identifiers=MemoryIdentifierTable(*images), length=length
    )


def shown(gallery: GalleryServices) -> list[str]:
    body, _ = gallery.site.get("gallery.json")
    return [image["identifier"] for image in json.loads(body)["images"]]


def test_the_newest_stand_first_and_the_list_ends() -> None:
    merged = merge([entry("b", "2"), entry("a", "1")], [entry("c", "3")], 2)
    assert [image["identifier"] for image in merged] == ["c", "b"]


def test_a_republished_image_stands_once_with_its_new_size() -> None:
    merged = merge([entry("a", "1", width=5)], [entry("a", "2", width=7)], 9)
    assert merged == [entry("a", "2", width=7)]


@given(st.permutations([entry(name, time) for name in "abc" for time in "123"]))
def test_the_order_of_events_does_not_matter(events: list[dict[str, Any]]) -> None:
    merged: list[dict[str, Any]] = []
    for event in events:
        merged = merge(merged, [event], 9)
    assert {(image["identifier"], image["published_at"]) for image in merged} == {
        ("a", "3"),
        ("b", "3"),
        ("c", "3"),
    }


def test_the_first_list_takes_up_what_was_published_before() -> None:
    image = Live(
        identifier="old",
        version="0" * 16,
        access_master_key="k",
        access_master_bytes=1,
        width=1,
        height=1,
        tile_width=256,
        tile_height=256,
        levels=((1, 1),),
        master_key="old.tif",
        master_version="v1",
        master_modified="2026",
        published_at="2026-01-01",
    )
    gallery = services(image)
    newer = gallery_entry(replace(image, identifier="new", published_at="2026-02-02"))
    assert update_gallery(gallery, [newer]) == 2
    assert update_gallery(gallery, [entry("next", "2027")]) == 3
    assert shown(gallery) == ["next", "new", "old"]


def test_two_writers_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = services()
    store = gallery.site
    put = store.put

    def put_after_another(*arguments: Any, **named: Any) -> Any:
        monkeypatch.setattr(store, "put", put)
        update_gallery(gallery, [entry("other", "2")])
        return put(*arguments, **named)

    monkeypatch.setattr(store, "put", put_after_another)
    update_gallery(gallery, [entry("mine", "1")])
    assert shown(gallery) == ["other", "mine"]


def test_endless_contention_is_worth_a_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = services()

    def refuse(*arguments: Any, **named: Any) -> Any:
        raise PreconditionFailed("gallery.json")

    monkeypatch.setattr(gallery.site, "put", refuse)
    with pytest.raises(TransientError):
        update_gallery(gallery, [entry("a", "1")])
