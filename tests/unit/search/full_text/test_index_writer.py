"""Files of the index that no list names are emptied an hour later, and joining always ends."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.unit.search.content.content_bench import page
from tests.unit.search.full_text.full_text_bench import Library
from vitrine.errors import TransientError
from vitrine.search.full_text import index_writer
from vitrine.search.full_text.index_writer import IndexWriter
from vitrine.search.full_text.live_list import LIST, load_list, store_list


def test_replaced_segments_are_emptied_an_hour_later(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    (first,) = library.segments()
    library.update(everything=True)
    assert library.site.head(first).size
    monkeypatch.setattr(index_writer, "RETIRED_FOR", timedelta(seconds=-5))
    library.publish("new", page("word"))
    library.update()
    assert library.site.head(first).size == 0
    assert not any(one.name in first for one in load_list(library.site)[0].retired)


def test_segments_of_a_writer_that_died_are_emptied(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = set(library.segments())

    def die(*arguments: object) -> None:
        raise TransientError("gone")

    library.publish("new", page("word"))
    with monkeypatch.context() as patch:
        patch.setattr(index_writer, "store_list", die)
        with pytest.raises(TransientError):
            library.update()
    (lost,) = set(library.segments()) - live
    library.update()
    assert library.site.head(lost).size
    monkeypatch.setattr(index_writer, "RETIRED_FOR", timedelta(seconds=-5))
    library.update()
    assert library.site.head(lost).size == 0
    assert dict(library.find_all("word")) == library.scan_all("word")
    assert load_list(library.site)[0].retired == ()


def test_segments_of_a_damaged_list_are_emptied(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = library.segments()
    library.site.put(LIST, b"damaged", content_type="x/y")
    library.update()
    monkeypatch.setattr(index_writer, "RETIRED_FOR", timedelta(seconds=-5))
    library.update()
    assert [library.site.head(key).size for key in before] == [0]
    assert dict(library.find_all("word")) == library.scan_all("word")


def test_joining_ends_if_only_the_names_of_objects_are_damaged(
    library: Library, tmp_path: Path
) -> None:
    (key,) = library.segments()
    writer = IndexWriter(library.site, tmp_path)
    for place in list(writer.places().values())[:2]:
        writer.bury(place)
    writer.commit()
    body, _ = library.site.get(key)
    at = load_list(library.site)[0].segments[0].head - 3
    library.site.put(key, body[:at] + b"???" + body[at + 3 :], content_type="x/y")
    assert writer.merge()
    assert not writer.merge()


def test_of_two_writers_one_fails(library: Library) -> None:
    live, etag = load_list(library.site)
    store_list(library.site, live, etag)
    with pytest.raises(TransientError, match="same time"):
        store_list(library.site, live, "")
