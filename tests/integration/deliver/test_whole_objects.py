"""Whole objects as PDF and as plain text, read by the programs of others."""

import io
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyvips
from PIL import Image

from tests.integration.deliver.stored_rig import StoredRig, stored_rig
from tests.integration.deliver.written_book import BookPage, WrittenBook, colour_page
from tests.patience import until
from vitrine.deliver.pdf.document import DocumentDescription, Page, PdfDocument, Picture
from vitrine.deliver.pdf.text_layer import PlacedWord
from vitrine.iiif.presentation.model import Range

MARKS = dict.fromkeys(map(ord, "\u202a\u202b\u202c"), " ")
"""Signs of direction, which pdftotext adds."""
SCRIPTS = ("𐍈bc", "שלום", "naïve", "漢", "字")
WORDS = (("Im", "Anfang", "schuf", "Gott"), ("Himmel", "und", "Erde."))


def run(*command: str | Path) -> str:
    """What a program prints; it must succeed, and complain of nothing."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, f"{done.stdout}\n{done.stderr}"
    assert not done.stderr, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def rig() -> Iterator[StoredRig]:
    with stored_rig(VITRINE_GATEWAY_PROCESSES="1") as running:
        yield running


@pytest.fixture(scope="module")
def book(rig: StoredRig, tmp_path_factory: pytest.TempPathFactory) -> WrittenBook:
    pages = (
        colour_page(lines=WORDS, label="Titel"),
        colour_page(lines=(("geheim",),), access="closed"),
        colour_page(5_000, 3_000, lines=(SCRIPTS,), label="III"),
    )
    ranges = (
        Range(
            label={"de": ("Vorrede",)},
            canvases=(0,),
            ranges=(Range(label={"de": ("Karte (gefaltet)",)}, canvases=(2,)),),
        ),
        Range(label={"de": ("Verborgenes",)}, canvases=(1,)),
    )
    return WrittenBook(rig, tmp_path_factory.mktemp("book"), pages, ranges=ranges)


@pytest.fixture(scope="module")
def pdf(book: WrittenBook) -> Path:
    return save(book)


def save(book: WrittenBook) -> Path:
    """The PDF of a book as a file."""
    answer = book.ask("object.pdf")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/pdf"
    path = book.folder / "book.pdf"
    path.write_bytes(answer.content)
    return path


def test_readers_find_nothing_wrong_with_it(pdf: Path) -> None:
    said = run("qpdf", "--check", pdf)
    assert "No syntax or stream encoding errors found" in said
    assert "Pages:           2" in run("pdfinfo", pdf)


def test_it_says_what_it_is(pdf: Path) -> None:
    said = run("pdfinfo", pdf)
    for name, value in (
        ("Title", "Zürcher Bibel: <I> & II"),
        ("Author", "Ulrich Zwingli"),
        ("Subject", "1 of 3 pages are left out: not everybody may see them"),
        ("Page size", "595.26 x 842 pts (A4)"),
    ):
        assert re.search(rf"^{name}:\s+{re.escape(value)}", said, re.MULTILINE), said
    metadata = run("pdfinfo", "-meta", pdf)
    assert "http://rightsstatements.org/vocab/NoC-OKLR/1.0/" in metadata
    assert "Zürcher Bibel: &lt;I&gt; &amp; II" in metadata
    assert '"/Lang": "u:de"' in run("qpdf", "--json", "--json-key=qpdf", pdf)


def test_each_page_is_one_picture_with_the_stored_pixels(pdf: Path, book: WrittenBook) -> None:
    listed = [line.split() for line in run("pdfimages", "-list", pdf).splitlines()[2:]]
    assert [[*line[3:5], line[8]] for line in listed] == [
        ["1240", "1754", "jpeg"],
        ["2500", "1500", "jpeg"],
    ]
    run("pdfimages", "-all", pdf, book.folder / "page")
    for picture, (number, level) in {"page-000.jpg": (1, 0), "page-001.jpg": (3, 1)}.items():
        stored = pyvips.Image.new_from_file(str(book.master(number)), page=level)
        shown = pyvips.Image.new_from_file(str(book.folder / picture), fail_on="warning")
        assert np.array_equal(shown.numpy(), stored.numpy())


def rendered(pdf: Path, page: int, width: int) -> Any:
    command = ("pdftoppm", "-png", "-f", str(page), "-l", str(page), "-scale-to-x", str(width))
    done = subprocess.run([*command, "-scale-to-y", "-1", pdf], capture_output=True, check=True)
    with Image.open(io.BytesIO(done.stdout)) as image:
        return np.asarray(image.convert("RGB")).astype(float)


@pytest.mark.parametrize(("page", "number", "level"), [(1, 1, 0), (2, 3, 1)])
def test_its_pages_look_like_the_pictures(
    pdf: Path, book: WrittenBook, page: int, number: int, level: int
) -> None:
    shown = rendered(pdf, page, 620)
    picture = pyvips.Image.new_from_file(str(book.master(number)), page=level)
    stored = picture.resize(620 / picture.width).numpy()
    height = min(len(shown), len(stored))
    assert abs(len(shown) - len(stored)) <= 1
    assert np.abs(shown[:height] - stored[:height]).mean() < 6


def test_its_text_is_found_where_it_stands(pdf: Path) -> None:
    printed = run("pdftotext", "-layout", pdf, "-").translate(MARKS)
    assert printed.split() == [word for line in (*WORDS, SCRIPTS) for word in line]
    boxes = run("pdftotext", "-bbox", "-l", "1", pdf, "-")
    found = re.search(
        r'xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">schuf', boxes
    )
    assert found
    scale = 842 / 1_754
    # The third word: after "Im" and "Anfang", each with a space.
    expected = [(100 + 20 * 10) * scale, 100 * scale, (100 + 20 * 15) * scale, 140 * scale]
    assert [*map(float, found.groups())] == pytest.approx(expected, abs=1)


def test_a_word_that_stands_on_end_is_read_whole(tmp_path: Path) -> None:
    jpeg = pyvips.Image.black(8, 8).jpegsave_buffer()
    words = [PlacedWord("needle", 300, 200, 70, 140), PlacedWord("balloon", 100, 300, 20, 300)]
    words.append(PlacedWord("il", 100, 700, 10, 20))
    page = Page(width=600, height=800, label="1", picture=Picture(jpeg, 8, 8, 1), words=words)
    document = PdfDocument(DocumentDescription(title="Words"))
    path = tmp_path / "words.pdf"
    path.write_bytes(document.add_page(page) + document.end())
    assert sorted(run("pdftotext", path, "-").split()) == ["balloon", "il", "needle"]


def test_its_contents_are_bookmarks_of_what_is_shown(pdf: Path) -> None:
    shown = run("qpdf", "--json", "--json-key=outlines", pdf)
    (preface,) = json.loads(shown)["outlines"]
    (map_,) = preface["kids"]
    assert (preface["title"], preface["destpageposfrom1"]) == ("Vorrede", 1)
    assert (map_["title"], map_["destpageposfrom1"]) == ("Karte (gefaltet)", 2)
    labels = run("qpdf", "--json", "--json-key=pagelabels", pdf)
    assert '"/P": "u:Titel"' in labels
    assert '"/P": "u:III"' in labels


def test_a_closed_page_is_in_neither_file(book: WrittenBook, pdf: Path) -> None:
    assert "geheim" not in run("pdftotext", pdf, "-")
    answer = book.ask("text.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    text = answer.text
    assert "geheim" not in text
    assert "[Titel]\n\nIm Anfang schuf Gott\nHimmel und Erde." in text
    head = text.partition("\n\n")[0].splitlines()
    assert head[:2] == ["Zürcher Bibel: <I> & II", "Ulrich Zwingli"]
    assert head[-1] == "https://images.example.org/objects/book"
    assert "[III]\n\n𐍈bc שלום naïve 漢 字\n" in text


def test_no_cache_keeps_a_whole_object(book: WrittenBook) -> None:
    for document, name in (("object.pdf", "book.pdf"), ("text.txt", "book.txt")):
        answer = book.ask(document, "HEAD")
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["cache-control"] == "no-store"
        assert f'filename="{name}"' in answer.headers["content-disposition"]


def test_an_object_of_closed_pages_is_refused(rig: StoredRig, tmp_path: Path) -> None:
    page = colour_page(300, 400, lines=WORDS, access="closed")
    closed = WrittenBook(rig, tmp_path, [page], "closed")
    for method in ("GET", "HEAD"):
        assert closed.ask("object.pdf", method).status_code == 403
        assert closed.ask("text.txt", method).status_code == 404


def test_a_page_is_left_out_once_it_is_closed(rig: StoredRig, tmp_path: Path) -> None:
    book = WrittenBook(rig, tmp_path, [colour_page(300, 400), colour_page(300, 400)], "closing")
    assert "Pages:           2" in run("pdfinfo", save(book))
    rig.records["closing-2"] = replace(rig.records["closing-2"], access="closed")
    rig.write_records()
    until(lambda: "Pages:           1" in run("pdfinfo", save(book)))


def test_an_object_without_text_is_pictures_only(rig: StoredRig, tmp_path: Path) -> None:
    book = WrittenBook(rig, tmp_path, [colour_page(300, 400)], "silent")
    run("qpdf", "--check", save(book))
    assert book.ask("text.txt").status_code == 404


def test_no_page_is_smaller_than_readers_show(rig: StoredRig, tmp_path: Path) -> None:
    pages = [colour_page(3_000, 2_000), colour_page(1, 1), colour_page(6_000, 12)]
    said = run("pdfinfo", "-l", "3", save(WrittenBook(rig, tmp_path, pages, "small")))
    sizes = re.findall(r"size: +(\S+) x (\S+) pts", said)
    assert sizes == [("842", "561.33"), ("3", "3"), ("1684", "3.37")]


def test_a_pyramid_from_elsewhere_is_rendered(rig: StoredRig, tmp_path: Path) -> None:
    """It keeps its levels in SubIFDs, and its pixels without loss."""
    path = tmp_path / "elsewhere.tif"
    colour_page(900, 700).picture.tiffsave(
        str(path), tile=True, pyramid=True, subifd=True, compression="deflate"
    )
    book = WrittenBook(rig, tmp_path, [BookPage(path)], "elsewhere")
    listed = run("pdfimages", "-list", save(book)).splitlines()[2].split()
    assert [*listed[3:5], listed[8]] == ["900", "700", "jpeg"]
    run("qpdf", "--check", book.folder / "book.pdf")


def test_without_downloads_there_are_no_whole_objects(tmp_path: Path) -> None:
    with stored_rig(VITRINE_DOWNLOADS_AT_ONCE="0", VITRINE_GATEWAY_PROCESSES="1") as running:
        book = WrittenBook(running, tmp_path, [colour_page(300, 400, lines=WORDS)])
        for document in ("object.pdf", "text.txt"):
            answer = book.ask(document)
            assert answer.status_code == 404
            assert "no whole objects" in answer.json()["reason"]
