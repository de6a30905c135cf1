"""The texts of a table's pages are read once, and faults are named by their file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.catalogue.object_bench import ObjectBench, book
from tests.unit.deliver.deliver_records import live
from tests.unit.text.transcription.text_bench import alto, annotations, hocr, page_xml
from vitrine.iiif.presentation.model import Canvas, ImageElsewhere, PublishedObject
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates import read_texts
from vitrine.sources.updates.read_texts import TextReader, TextReport
from vitrine.store.layout import text_key
from vitrine.text.transcription import page_builder
from vitrine.text.transcription.page_text import CanvasSize
from vitrine.text.transcription.stored_text import decode_text

STRING = (
    '<TextLine><String CONTENT="{}" HPOS="500" VPOS="375" WIDTH="100" HEIGHT="200"/></TextLine>'
)
SIDES = 'WIDTH="1000" HEIGHT="750"'
PAGE = '<div class="ocr_page" title="bbox 0 0 1000 750"><span class="ocr_line">{}</span></div>'


BOXED = '<span class="ocrx_word" title="bbox 1 1 9 9">three</span>'


def attach(
    bench: ObjectBench, *texts: Path | str, publish: bool = True
) -> tuple[PublishedObject, TextReport]:
    """The book with the texts of its images, published unless that is said."""
    reader = TextReader(bench.publisher, "letters")
    mapped = reader.attach(MappedObject(1, book(), texts=tuple(map(str, texts))))
    if publish:
        bench.objects.put(mapped.item)
    return mapped.item, reader.report


def words(bench: ObjectBench, item: PublishedObject) -> list[str]:
    """The words of each canvas, as they are stored."""

    def read() -> Iterator[str]:
        for canvas in item.canvases:
            if not canvas.text:
                yield ""
                continue
            body, _ = bench.records.get(text_key(canvas.text))
            page = decode_text(body, CanvasSize(800, 600))
            yield " ".join(word.text for line in page.lines for word in line.words)

    return list(read())


def write(path: Path, text: str) -> Path:
    """A file with a text."""
    path.write_text(text, encoding="utf-8")
    return path


def test_texts_are_stored_with_boxes_on_the_published_images(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "1.xml", alto(STRING.format("Brief"), page=SIDES))
    item, report = attach(bench, path, "", "")
    assert words(bench, item) == ["Brief", "", ""]
    body, _ = bench.records.get(text_key(item.canvases[0].text))
    (word,) = decode_text(body, CanvasSize(800, 600)).lines[0].words
    assert (word.boxes[0].x, word.boxes[0].y) == (400, 300)
    assert (report.read, report.refused, report.notes) == (1, [], [])


def test_a_text_of_a_page_of_other_proportions_is_found_and_not_drawn(
    bench: ObjectBench, tmp_path: Path
) -> None:
    turned = write(
        tmp_path / "1.xml", alto(STRING.format("Brief"), page='WIDTH="750" HEIGHT="1000"')
    )
    book = write(
        tmp_path / "2.hocr", PAGE.format("two") + PAGE.format(BOXED).replace("1000", "400")
    )
    item, report = attach(bench, turned, book, book)
    assert words(bench, item) == ["Brief", "two", "three"]
    for canvas in item.canvases:
        body, _ = bench.records.get(text_key(canvas.text))
        assert decode_text(body, CanvasSize(800, 600)).lines[0].words[0].boxes == ()
    assert report.refused == []
    assert [(Path(file).name, sentence) for file, sentence in report.notes] == [
        (
            "1.xml",
            "its page is 750 x 1000 large, and the image 800 x 600: it was turned or cropped; its "
            "words are found, but nobody is shown where on the page they are",
        ),
        (
            "2.hocr",
            "page 2: its page is 400 x 750 large, and the image 800 x 600: it was turned or "
            "cropped; its words are found, but nobody is shown where on the page they are",
        ),
    ]


def test_a_file_of_all_pages_is_divided_among_the_images(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "b.hocr", "".join(map(PAGE.format, ("one", "two", "three"))))
    item, report = attach(bench, *[path] * 3)
    assert words(bench, item) == ["one", "two", "three"]
    assert report.read == 3


def test_what_is_stored_is_not_read_again(
    bench: ObjectBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "1.txt", "Brief")
    before, _ = attach(bench, path, "", "")
    monkeypatch.setattr(read_texts, "read_text", None)
    item, report = attach(bench, path, "", "")
    assert item == before
    assert (report.read, report.unchanged) == (0, 1)


def test_a_text_that_was_replaced_is_read_again(bench: ObjectBench, tmp_path: Path) -> None:
    attach(bench, write(tmp_path / "1.txt", "Brief"), "", "")
    item, report = attach(bench, write(tmp_path / "1.txt", "Buch"), "", "")
    assert words(bench, item)[0] == "Buch"
    assert report.read == 1


def test_an_image_that_is_not_published_keeps_the_text_that_it_had(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "1.txt", "Brief")
    before, _ = attach(bench, path, "", "")
    bench.withdraw_image("one")
    item, report = attach(bench, path, "", "", publish=False)
    assert item.canvases[0].text == before.canvases[0].text
    assert (report.read, report.unchanged) == (0, 0)


def test_an_image_that_was_never_published_waits_for_its_text(tmp_path: Path) -> None:
    bench = ObjectBench("two", "three")
    path = write(tmp_path / "b.hocr", "".join(map(PAGE.format, ("one", "two", "three"))))
    item, _ = attach(bench, *[path] * 3)
    assert words(bench, item) == ["", "two", "three"]
    bench.write(live("one", 800, 600))
    item, report = attach(bench, *[path] * 3)
    assert words(bench, item) == ["one", "two", "three"]
    assert report.refused == []


OUTSIDE = STRING.replace('HPOS="500"', 'HPOS="5000"').format("Brief")
BAD = {
    "damaged.xml": (alto("")[:-9], "it is not XML"),
    "empty.xml": ("", "it is not XML"),
    "other.xml": ("<document/>", "its root 'document' is of neither ALTO, PAGE nor hOCR"),
    "bomb.xml": ('<!DOCTYPE a [<!ENTITY a "x">]>' + alto(""), "it declares entities"),
    "outside.xml": (alto(OUTSIDE, page=SIDES), "1 of its 1 boxes are outside the page"),
    "units.xml": (alto("", "furlong"), "its MeasurementUnit is 'furlong'"),
    "size.xml": (page_xml("", ""), "its Page says no usable width and height"),
    "two.hocr": (PAGE.format("a") * 2, "it has more than one page"),
    "words.txt": ("w " * 100, "it has more than 50 words"),
    "long.txt": ("w" * 1_001, "it has a word of more than 1,000 characters"),
    "binary.txt": ("\0", "it has characters that no text has"),
    "plain.html": ("<p>x</p>", "it is HTML without a page, line or word of hOCR"),
    "page.json": ("{}", "it is JSON, but neither AnnotationPage nor annotations"),
    "deep.json": ("[" * 100_000, "it is not JSON"),
    "away.xml": (None, "No such file"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_named_and_harms_no_other(
    name: str, bench: ObjectBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_builder, "MAX_WORDS", 50)
    body, reason = BAD[name]
    path = tmp_path / name
    if body is not None:
        write(path, body)
    good = write(tmp_path / "good.json", annotations({"body": {"value": "gut"}}))
    item, report = attach(bench, path, good, "")
    assert words(bench, item) == ["", "gut", ""]
    ((file, sentence),) = report.refused
    assert file == str(path)
    assert reason in sentence


def test_a_file_that_cannot_be_read_for_now_keeps_the_text_that_is_published(
    bench: ObjectBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "b.hocr", "".join(map(PAGE.format, ("one", "two", "three"))))
    attach(bench, *[path] * 3)

    def fail(*arguments: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(read_texts, "_digest", fail)
        item, report = attach(bench, *[path] * 3)
    assert words(bench, item) == ["one", "two", "three"]
    ((_, sentence),) = report.refused
    assert "Input/output error; the text that is published of it, if any, stays" in sentence
    write(path, "".join(map(PAGE.format, ("four", "five", "six"))))
    item, report = attach(bench, *[path] * 3)
    assert words(bench, item) == ["four", "five", "six"]


def test_images_elsewhere_each_keep_their_own_text(bench: ObjectBench, tmp_path: Path) -> None:
    canvases = tuple(
        Canvas(
            elsewhere=ImageElsewhere(address=f"https://example.org/{n}.jpg", width=800, height=600)
        )
        for n in range(2)
    )
    paths = [write(tmp_path / f"{n}.txt", word) for n, word in enumerate(("one", "two"))]
    texts = tuple(map(str, paths))
    reader = TextReader(bench.publisher, "letters")
    bench.objects.put(reader.attach(MappedObject(1, book(canvases=canvases), texts=texts)).item)
    for path in paths:
        path.unlink()
    item = reader.attach(MappedObject(1, book(canvases=canvases), texts=texts)).item
    assert words(bench, item) == ["one", "two"]


def test_an_image_elsewhere_of_no_possible_size_has_no_text(
    bench: ObjectBench, tmp_path: Path
) -> None:
    canvas = Canvas(elsewhere=ImageElsewhere(address="https://x.org/", width=10**30, height=1))
    path = write(tmp_path / "1.xml", alto(STRING.format("Brief"), page=SIDES))
    mapped = MappedObject(1, book(canvases=(canvas,)), texts=(str(path),))
    assert TextReader(bench.publisher, "letters").attach(mapped).item.canvases[0].text == ""


def test_a_file_that_is_larger_than_any_book_is_not_even_opened(
    bench: ObjectBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_texts, "MAX_BOOK_BYTES", 3)
    _, report = attach(bench, write(tmp_path / "1.txt", "Brief"), "", "")
    assert "it is larger than" in report.refused[0][1]


def test_the_bad_page_of_a_book_is_named_by_its_number(bench: ObjectBench, tmp_path: Path) -> None:
    word = '<span class="ocrx_word" title="bbox 9000 0 9001 1">w</span>'
    path = write(tmp_path / "b.hocr", PAGE.format("one") + PAGE.format(word) + PAGE.format("three"))
    item, report = attach(bench, *[path] * 3)
    assert words(bench, item) == ["one", "", "three"]
    ((_, sentence),) = report.refused
    assert sentence.startswith("page 2: 1 of its 1 boxes are outside")


def test_a_book_of_fewer_pages_than_images_is_named_and_one_of_more_is_refused(
    bench: ObjectBench, tmp_path: Path
) -> None:
    few = write(tmp_path / "few.hocr", PAGE.format("one") * 2)
    item, report = attach(bench, *[few] * 3)
    assert words(bench, item) == ["one", "one", ""]
    assert report.refused == [(str(few), "it has 2 pages for 3 images")]
    many = write(tmp_path / "many.hocr", PAGE.format("one") * 4)
    item, report = attach(bench, *[many] * 3)
    assert words(bench, item) == ["", "", ""]
    assert report.refused == [(str(many), "it has more pages than there are images: 3")]


def test_a_page_without_a_word_is_counted_and_has_no_text(
    bench: ObjectBench, tmp_path: Path
) -> None:
    item, report = attach(bench, write(tmp_path / "1.hocr", hocr("")), "", "")
    assert item.canvases[0].text == ""
    assert (report.read, report.empty, report.refused) == (0, 1, [])


def test_an_object_without_texts_is_left_as_it_is(bench: ObjectBench) -> None:
    mapped = MappedObject(1, book())
    assert TextReader(bench.publisher, "letters").attach(mapped) is mapped
