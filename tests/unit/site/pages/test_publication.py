"""Pages follow what is published: written where they changed, and never silently lost."""

import json
from typing import Any

import msgspec
import pytest

from tests.unit.catalogue.object_bench import ObjectBench, book, shelf
from tests.unit.site.pages.page_watch import Watch, text
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.catalogue.rebuild import rebuild_publications
from vitrine.errors import ObjectMissing, TransientError
from vitrine.iiif.presentation.model import Canvas, Member, ObjectCollection

PAGES = ("objects/", "collections/", "embed/", "oembed/")


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
        "oembed/book",
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
    assert "eason given: rights" in text(bench, "objects/book")
    assert _metadata(bench, "objects/book") == {"status": "410"}


def test_a_withdrawn_object_says_why_and_is_not_indexed(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.objects.withdraw("book", "A claim of <heirs>.")
    for key in ("objects/book", "embed/book"):
        assert "A claim of &lt;heirs&gt;." in text(bench, key)
        assert 'content="noindex"' in text(bench, key)


def test_what_is_not_there_offers_the_search_but_in_the_frames_of_others(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    bench.objects.withdraw("book", "A claim.")
    form = '<form class="search" action="/search" role="search">'
    assert form in text(bench, "objects/book")
    assert form not in text(bench, "embed/book")


def test_a_renamed_object_leads_to_its_new_page(bench: ObjectBench) -> None:
    bench.objects.put(book())
    bench.objects.rename("book", "a/b")
    assert 'content="0; url=/objects/a%2Fb"' in text(bench, "objects/book")
    assert 'content="0; url=/embed/a%2Fb"' in text(bench, "embed/book")
    assert _metadata(bench, "objects/book") == {"status": "301", "location": "/objects/a%2Fb"}
    assert _metadata(bench, "embed/book") == {"status": "301", "location": "/embed/a%2Fb"}
    assert "<h1>A book</h1>" in text(bench, "objects/a%2Fb")


def _metadata(bench: ObjectBench, key: str) -> dict[str, str]:
    return dict(bench.site.get(key)[1].metadata)


def test_what_is_gone_is_answered_410_until_it_is_back(bench: ObjectBench) -> None:
    bench.objects.put(book())
    assert _metadata(bench, "objects/book") == {}
    bench.objects.withdraw("book", "A claim.")
    for key in ("objects/book", "embed/book"):
        assert _metadata(bench, key) == {"status": "410"}
    bench.objects.put(book(), replace_withdrawn=True)
    assert _metadata(bench, "objects/book") == {}


def test_what_waits_for_its_images_is_answered_404(bench: ObjectBench) -> None:
    bench.objects.put(book(canvases=(Canvas(image="on-its-way"),)))
    assert _metadata(bench, "objects/book") == {"status": "404"}


def test_what_was_never_to_be_seen_and_is_withdrawn_says_so(bench: ObjectBench) -> None:
    bench.objects.put(shelf())
    bench.objects.withdraw("shelf", "Doubles.")
    assert "Doubles." in text(bench, "collections/shelf")
    assert "<h1>This collection was withdrawn</h1>" in text(bench, "collections/shelf")


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


@pytest.mark.slow
def test_of_a_long_collection_only_pages_that_changed_are_written(bench: ObjectBench) -> None:
    bench.objects.put(big(2_500))
    changed = list(big(2_500).members)
    changed[1_250] = Member(identifier="new", label={"en": ("New",)}, image="two")
    collection = ObjectCollection(identifier="big", label={"en": ("Big",)}, members=tuple(changed))
    with Watch(bench) as written:
        bench.objects.put(collection)
    assert [key for key in written if key.startswith(PAGES)] == ["collections/big/13"]
    assert "/objects/new" in text(bench, "collections/big/13")


@pytest.mark.parametrize("then", [("en",), ("de", "en"), ("fr",)])
def test_a_language_that_the_theme_drops_keeps_no_page_of_a_withdrawn_object(
    bench: ObjectBench, then: tuple[str, ...]
) -> None:
    bench.speak("en", "de")
    bench.objects.put(book(title="Secret"))
    bench.objects.put(shelf())
    bench.speak(*then)
    bench.objects.withdraw("book", "A claim.")
    bench.objects.withdraw("shelf", "A claim.")
    for key in ("objects/book", "objects/book/de", "embed/book", "collections/shelf/de"):
        assert "Secret" not in text(bench, key)
        assert "A shelf" not in text(bench, key)
    assert "A claim." in text(bench, "objects/book")


def test_a_dropped_language_leads_to_the_page_that_there_is(bench: ObjectBench) -> None:
    bench.speak("en", "de")
    bench.objects.put(book())
    bench.speak("en")
    bench.objects.put(book(title="Another title"))
    assert 'url=/objects/book"' in text(bench, "objects/book/de")
    with pytest.raises(ObjectMissing):
        bench.site.get("objects/book/fr")


def test_what_becomes_a_collection_leads_there_and_back_again(bench: ObjectBench) -> None:
    bench.objects.put(book("folder", title="Leaves"))
    bench.objects.put(shelf("folder"))
    assert 'url=/collections/folder"' in text(bench, "objects/folder")
    assert "Leaves" not in text(bench, "embed/folder")
    assert json.loads(text(bench, "oembed/folder")) == {"version": "1.0", "type": "link"}
    bench.objects.put(book("folder", title="Leaves"))
    assert 'url=/objects/folder"' in text(bench, "collections/folder")
    assert "<h1>Leaves</h1>" in text(bench, "objects/folder")


def test_a_long_collection_that_becomes_an_object_leads_there_from_all_its_pages(
    bench: ObjectBench,
) -> None:
    bench.objects.put(big(250))
    bench.objects.put(book("big"))
    assert 'url=/objects/big"' in text(bench, "collections/big")
    for number in (2, 3):
        assert 'url=/collections/big"' in text(bench, f"collections/big/{number}")


def test_an_identifier_that_looks_like_the_file_of_another_takes_nothing_from_it(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    for name in ("book.oembed.json", "oembed", "book/de", "de"):
        bench.objects.put(book(name, title=name))
    assert "<h1>A book</h1>" in text(bench, "objects/book")
    assert json.loads(text(bench, "oembed/book"))["title"] == "A book"


def test_a_collection_that_shrank_before_is_not_walked_again(bench: ObjectBench) -> None:
    bench.objects.put(big(990))
    bench.objects.put(big(90))
    read, get = [], bench.site.get
    bench.site.get = lambda key: (read.append(key), get(key))[1]
    members = (*big(89).members, Member(identifier="new", label={"en": ("New",)}, image="two"))
    bench.objects.put(msgspec.structs.replace(big(90), members=members))
    assert "collections/big/2" in read
    assert "collections/big/3" not in read


def test_a_withdrawal_that_crashed_among_the_pages_of_a_collection_is_finished_by_the_next(
    bench: ObjectBench,
) -> None:
    bench.speak("en", "de")
    bench.objects.put(big(250))
    put = bench.site.put

    def crash(key: str, *args: Any, **how: Any) -> Any:
        if key == "collections/big/de/2":
            raise TransientError(key)
        return put(key, *args, **how)

    bench.site.put = crash
    with pytest.raises(TransientError):
        bench.objects.withdraw("big", "A claim.")
    bench.site.put = put
    bench.objects.withdraw("big", "A claim.")
    assert "Object 150" not in text(bench, "collections/big/de/2")
