"""What is published of the texts of an object follows its record and its images."""

from dataclasses import replace

import pytest

from tests.unit.catalogue.object_bench import IMAGES, book
from tests.unit.catalogue.object_text_bench import TextBench
from tests.unit.deliver.deliver_records import live
from vitrine.catalogue import object_texts
from vitrine.catalogue.outdated_pages import publish_changed_images
from vitrine.catalogue.rules import find_faults
from vitrine.iiif.presentation.model import Canvas, PublishedObject
from vitrine.store.layout import INSIDE, text_index_key, text_page_key
from vitrine.store.publications import Withdrawn
from vitrine.store.site_layout import object_page_key
from vitrine.text.transcription.stored_text import CONTENT_TYPE


@pytest.fixture
def bench() -> TextBench:
    bench = TextBench(*IMAGES)
    bench.put("ein Brief", "", "aus Ninive")
    return bench


def test_an_object_without_texts_has_neither_service_nor_annotations(bench: TextBench) -> None:
    bench.put("", "", "")
    manifest = bench.document("book")
    assert "service" not in manifest
    assert not any("annotations" in canvas for canvas in manifest["items"])
    assert (bench.shown().texts, bench.shown().text_index) == ((), "")


def test_both_manifests_lead_to_the_searches_and_to_the_text_of_each_page(
    bench: TextBench,
) -> None:
    manifest = bench.document("book")
    assert [one.get("type") or one["@type"] for one in manifest["service"]] == [
        "SearchService2",
        "SearchService1",
    ]
    address = "https://images.example.org/presentation/3/book/text-{}.json"
    assert [canvas.get("annotations") for canvas in manifest["items"]] == [
        [{"id": address.format(1), "type": "AnnotationPage"}],
        None,
        [{"id": address.format(3), "type": "AnnotationPage"}],
    ]
    older = bench.document("book", 2)
    assert older["service"]["profile"] == "http://iiif.io/api/search/1/search"
    assert [one.get("otherContent") for one in older["sequences"][0]["canvases"]] == [
        [{"@id": address.format(1).replace("/3/", "/2/"), "@type": "sc:AnnotationList"}],
        None,
        [{"@id": address.format(3).replace("/3/", "/2/"), "@type": "sc:AnnotationList"}],
    ]


def test_both_manifests_lead_to_the_whole_object_where_downloads_are_sent(
    bench: TextBench,
) -> None:
    root = "https://images.example.org/presentation/3/book"
    assert [one["id"] for one in bench.document("book")["rendering"]] == [
        f"{root}/object.pdf",
        f"{root}/text.txt",
    ]
    (pdf, text) = bench.document("book", 2)["rendering"]
    assert pdf == {
        "@id": f"{root}/object.pdf",
        "format": "application/pdf",
        "label": "All 3 pages as PDF",
    }
    assert text["label"] == "All 3 pages as plain text"
    bench.put("", "", "")
    assert [one["format"] for one in bench.document("book")["rendering"]] == ["application/pdf"]


def test_annotations_have_each_line_with_its_place_on_the_canvas(bench: TextBench) -> None:
    (line,) = bench.annotations(1)["items"]
    assert line["motivation"] == "supplementing"
    assert line["body"] == {
        "type": "TextualBody",
        "format": "text/plain",
        "value": "ein Brief",
        "language": "de",
    }
    canvas = bench.document("book")["items"][0]["id"]
    assert line["target"] == f"{canvas}#xywh=0,20,18,6"
    (older,) = bench.annotations(1, 2)["resources"]
    assert (older["resource"]["chars"], older["on"]) == (
        "ein Brief",
        f"{canvas.replace('/3/', '/2/')}#xywh=0,20,18,6",
    )
    assert bench.annotations(1, 2)["@id"].endswith("/presentation/2/book/text-1.json")


def test_the_index_is_stored_before_what_names_it(bench: TextBench) -> None:
    assert bench.site.get(text_index_key("book", bench.shown().text_index))[0]


def test_the_same_again_writes_nothing(bench: TextBench) -> None:
    before = {key: bench.site.head(key).version for key in bench.keys("")}
    bench.put("ein Brief", "", "aus Ninive")
    assert {key: bench.site.head(key).version for key in bench.keys("")} == before


def test_one_text_that_is_replaced_writes_the_index_and_that_page_alone(bench: TextBench) -> None:
    before, pages, index = bench.shown(), bench.keys("/text/"), bench.keys(INSIDE)
    bench.put("ein Brief", "", "aus Assur")
    after = bench.shown()
    assert after.texts[:2] == before.texts[:2]
    assert after.texts[2] != before.texts[2]
    assert after.text_index != before.text_index
    assert set(bench.keys("/text/")) - set(pages) == {text_page_key("book", after.texts[2])}
    assert len(bench.keys(INSIDE)) == len(index) + 1
    assert bench.annotations(3)["items"][0]["body"]["value"] == "aus Assur"


def test_a_text_that_is_taken_away_is_out_of_reach(bench: TextBench) -> None:
    bench.put("ein Brief", "", "")
    assert bench.shown().texts[2] == ""
    assert "annotations" not in bench.document("book")["items"][2]


def test_boxes_follow_an_image_that_is_replaced_in_another_size(bench: TextBench) -> None:
    current = bench.identifiers.get("one")
    assert current
    bench.write(replace(live("one", 1600, 1200), revision=current.revision + 1))
    publish_changed_images(bench.publisher, ["one"])
    assert bench.annotations(1)["items"][0]["target"].endswith("#xywh=0,40,36,12")


def test_the_text_of_an_image_that_not_everybody_sees_is_nowhere(bench: TextBench) -> None:
    current = bench.identifiers.get("one")
    assert current
    restricted = replace(live("one", 800, 600), revision=current.revision + 1, access="staff")
    bench.write(restricted)
    publish_changed_images(bench.publisher, ["one"])
    assert bench.shown().texts[0] == ""
    assert "annotations" not in bench.document("book")["items"][0]
    assert len(bench.document("book")["items"]) == 3


def test_an_object_that_is_renamed_takes_its_texts_along(bench: TextBench) -> None:
    bench.objects.rename("book", "tome")
    shown = bench.shown("tome")
    assert [bool(name) for name in shown.texts] == [True, False, True]
    assert bench.site.get(text_index_key("tome", shown.text_index))[0]
    assert "/inside/3/tome/" in bench.document("tome")["service"][0]["id"]


def test_an_object_that_is_withdrawn_names_no_text(bench: TextBench) -> None:
    bench.objects.withdraw("book", "rights")
    assert isinstance(bench.published("book"), Withdrawn)


def test_an_image_that_is_withdrawn_takes_its_text_away(bench: TextBench) -> None:
    bench.withdraw_image("one")
    publish_changed_images(bench.publisher, ["one"])
    assert [bool(name) for name in bench.shown().texts] == [False, True]
    assert bench.annotations(2)["items"][0]["body"]["value"] == "aus Ninive"


def test_a_record_that_names_a_text_that_is_not_here_is_published_without_it(
    bench: TextBench,
) -> None:
    canvases = (Canvas(image="one", text="0" * 32),)
    bench.objects.put(book(canvases=canvases))
    assert bench.annotations(1)["items"] == []
    assert bench.shown().text_index == ""
    assert "service" not in bench.document("book")


def test_an_object_with_too_many_words_is_published_without_a_search(
    bench: TextBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitrine.search.content.build.MAX_WORDS", 1)
    bench.put("viele Reisen", "noch mehr", "und mehr")
    assert bench.shown().text_index == ""
    assert bench.annotations(3)["items"][0]["body"]["value"] == "und mehr"
    page = bench.site.get(object_page_key("book"))[0].decode()
    assert "object.pdf" in page
    assert "with their text" not in page
    assert "text.txt" not in page
    assert "search-2" not in page


def test_a_page_offers_its_text_and_the_search_in_it(bench: TextBench) -> None:
    page = bench.site.get(object_page_key("book"))[0].decode()
    assert "with their text" in page
    assert 'href="/presentation/3/book/text.txt"' in page
    assert 'data-search="/inside/3/book/search-2"' in page


def test_why_an_object_has_no_search_is_said_whenever_it_is_published(
    bench: TextBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitrine.search.content.build.MAX_WORDS", 1)
    bench.put("viele Reisen", "", "")
    for _ in range(2):
        result = bench.publisher.publish("book")
        assert result
        assert result.unsearched == "its pages have more than 1 words: divide the object"


@pytest.mark.parametrize("damage", [b"", b"VTX2 and more", None])
def test_a_damaged_index_is_written_again_by_a_thorough_publication(
    bench: TextBench, damage: bytes | None
) -> None:
    key = text_index_key("book", bench.shown().text_index)
    whole, _ = bench.site.get(key)
    if damage is None:
        bench.site.put(key, whole[:-1] + bytes([whole[-1] ^ 1]), content_type=CONTENT_TYPE)
    else:
        bench.site.put(key, damage, content_type=CONTENT_TYPE)
    bench.publisher.publish("book", with_pages=True)
    assert bench.site.get(key)[0] == whole


def test_a_whole_index_is_not_written_again(bench: TextBench) -> None:
    key = text_index_key("book", bench.shown().text_index)
    before = bench.site.head(key).version
    bench.publisher.publish("book", with_pages=True)
    assert bench.site.head(key).version == before


def test_pages_of_a_long_book_are_read_in_parts(
    bench: TextBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_texts, "BATCH", 2)
    bench.put("ein", "zwei", "drei")
    assert [bench.annotations(n)["items"][0]["body"]["value"] for n in (1, 2, 3)] == [
        "ein",
        "zwei",
        "drei",
    ]


@pytest.mark.parametrize("name", ["../../x", "0" * 31, "G" * 32])
def test_a_text_has_the_name_of_a_stored_one(bench: TextBench, name: str) -> None:
    item: PublishedObject = book(canvases=(Canvas(image="one", text=name),))
    assert list(find_faults(item)) == [
        "canvases[0].text: it is the name of a stored text, 32 digits of 0 to 9 and a to f."
    ]
