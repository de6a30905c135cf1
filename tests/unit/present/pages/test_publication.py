"""Pages follow what is published: written where they changed, and never silently lost."""

from typing import Any

import pytest

from tests.unit.present.objects.object_bench import IMAGES, ObjectBench, book, shelf
from vitrine.iiif.presentation.model import Member, ObjectCollection
from vitrine.present.objects.publisher import publish_changed_images, rebuild_publications

PAGES = ("objects/", "collections/", "embed/")


@pytest.fixture
def bench() -> ObjectBench:
    return ObjectBench(*IMAGES)


class Watch:
    """The keys of the site that are written while it is entered."""

    def __init__(self, bench: ObjectBench) -> None:
        self._site: Any = bench.site
        self.keys: list[str] = []

    def __enter__(self) -> list[str]:
        self._put = self._site.put

        def put(key: str, *args: Any, **how: Any) -> Any:
            self.keys.append(key)
            return self._put(key, *args, **how)

        self._site.put = put
        return self.keys

    def __exit__(self, *error: object) -> None:
        del self._site.put


def text(bench: ObjectBench, key: str) -> str:
    return str(bench.site.get(key)[0].decode())


def big(members: int) -> ObjectCollection:
    return ObjectCollection(
        identifier="big",
        label={"en": ("Big",)},
        members=tuple(
            Member(identifier=f"o{number}", label={"en": (f"Object {number}",)}, image="one")
            for number in range(members)
        ),
    )


def test_the_change_of_an_object_writes_at_most_five_files(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.objects.put(shelf())
    with Watch(bench) as written:
        bench.objects.put(book(title="Another title"))
    assert sorted(key for key in written if key.startswith(PAGES)) == [
        "embed/book",
        "objects/book",
        "objects/book.oembed.json",
    ]
    assert len(written) <= 5


def test_what_did_not_change_is_not_written(bench: ObjectBench) -> None:
    bench.objects.put(book())
    with Watch(bench) as written:
        bench.objects.put(book())
        rebuild_publications(bench.publisher, with_pages=True)
    assert written == []


def test_a_page_that_was_lost_is_written_again_by_a_rebuild(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.site.delete("objects/book")
    rebuild_publications(bench.publisher, with_pages=True)
    assert "<h1>A book</h1>" in text(bench, "objects/book")


def test_a_withdrawn_image_leaves_the_page(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.withdraw_image("one")
    publish_changed_images(bench.publisher, ["one"])
    assert "/iiif/3/one/" not in text(bench, "objects/book")
    for name in ("two", "three"):
        bench.withdraw_image(name)
    publish_changed_images(bench.publisher, ["two", "three"])
    assert "not on display yet" in text(bench, "objects/book")


def test_a_withdrawn_object_says_why_and_is_not_indexed(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.objects.withdraw("book", "A claim of <heirs>.")
    for key in ("objects/book", "embed/book"):
        assert "A claim of &lt;heirs&gt;." in text(bench, key)
        assert 'content="noindex"' in text(bench, key)


def test_a_renamed_object_leads_to_its_new_page(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.objects.rename("book", "a/b")
    assert 'content="0; url=/objects/a%2Fb"' in text(bench, "objects/book")
    assert 'content="0; url=/embed/a%2Fb"' in text(bench, "embed/book")
    assert "<h1>A book</h1>" in text(bench, "objects/a%2Fb")


def test_an_image_that_no_object_shows_has_a_page_of_its_own(bench: ObjectBench) -> None:
    publish_changed_images(bench.publisher, ["one"])
    assert "<h1>one</h1>" in text(bench, "objects/one")
    bench.withdraw_image("one")
    publish_changed_images(bench.publisher, ["one"])
    assert "Reason given: rights" in text(bench, "objects/one")


def test_an_images_page_leads_to_the_object_that_shows_it(bench: ObjectBench) -> None:
    publish_changed_images(bench.publisher, ["one"])
    bench.objects.put(book("two"))
    bench.objects.put(book("other"))
    assert 'url=/objects/two#view-1"' in text(bench, "objects/one")
    assert 'url=/objects/two#view-3"' in text(bench, "objects/three")
    assert "<h1>A book</h1>" in text(bench, "objects/two")
    publish_changed_images(bench.publisher, ["one"])
    assert 'url=/objects/two#view-1"' in text(bench, "objects/one")


def test_what_was_never_to_be_seen_and_is_withdrawn_says_so(bench: ObjectBench) -> None:
    bench.objects.put(shelf())
    bench.objects.withdraw("shelf", "Doubles.")
    assert "Doubles." in text(bench, "collections/shelf")


def test_a_collection_has_a_hundred_members_on_a_page(bench: ObjectBench) -> None:
    bench.objects.put(big(250))
    first, second, third = (text(bench, f"collections/big{end}") for end in ("", "/2", "/3"))
    assert [one.count('<li class="card">') for one in (first, second, third)] == [100, 100, 50]
    assert 'rel="next" href="/collections/big/2"' in first
    assert 'rel="prev" href="/collections/big"' in second
    assert '<ol class="cards" start="201">' in third
    assert 'rel="next"' not in third


def test_a_collection_that_shrinks_leads_from_its_lost_pages_to_its_first(
    bench: ObjectBench,
) -> None:
    bench.objects.put(big(250))
    bench.objects.put(big(90))
    for number in (2, 3):
        assert 'url=/collections/big"' in text(bench, f"collections/big/{number}")


def test_of_a_long_collection_only_pages_that_changed_are_written(bench: ObjectBench) -> None:
    bench.objects.put(big(2_500))
    changed = list(big(2_500).members)
    changed[1_250] = Member(identifier="new", label={"en": ("New",)}, image="two")
    collection = ObjectCollection(identifier="big", label={"en": ("Big",)}, members=tuple(changed))
    with Watch(bench) as written:
        bench.objects.put(collection)
    assert [key for key in written if key.startswith(PAGES)] == ["collections/big/13"]
    assert "/objects/new" in text(bench, "collections/big/13")


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
