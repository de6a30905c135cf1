"""Operators see which pages were read, which could not be and why, and have them read again."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.unit.catalogue.object_bench import IMAGES, book
from tests.unit.cli.conftest import Run
from tests.unit.deliver.deliver_records import live
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.iiif.presentation.model import Canvas
from vitrine.text.ocr_results.stored import (
    PageReading,
    Readings,
    load_readings,
    ocr_name,
    save_readings,
)


@pytest.fixture
def reading(
    publisher: Publisher, service: Deployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Path:
    """A service that reads English, and the record of a book whose pages it is to read."""
    made = replace(publisher, ocr_languages=("eng",))
    for module in ("bootstrap.curation", "cli.objects.group", "cli.objects.ocr"):
        monkeypatch.setattr(f"vitrine.{module}.deployed_publisher", lambda environment: made)
    for image in IMAGES:
        service.identifiers.write(live(image, 800, 600, version=image), None)
    path = tmp_path / "book.json"
    canvases = tuple(Canvas(image=image) for image in IMAGES)
    path.write_bytes(msgspec.json.encode(book(canvases=canvases, ocr="eng")))
    return path


def note(service: Deployment, until: str = "") -> None:
    """Note that one page was read, one is empty and one failed."""
    pages = {
        ocr_name("one", "eng"): PageReading("read", "one"),
        ocr_name("two", "eng"): PageReading("empty", "two"),
        ocr_name("three", "eng"): PageReading("failed", "three", "it took more than 300 seconds"),
    }
    save_readings(service.records, "book", Readings(pages, until), "")


def test_publishing_says_how_many_pages_are_being_read(run: Run, reading: Path) -> None:
    done = run("object", "put", str(reading))
    assert "3 pages are being read" in done.stdout
    (shown,) = json.loads(run("object", "put", str(reading), "--json").stdout)
    assert shown["unread"] == {"pages": 3, "reason": ""}


def test_publishing_says_that_nobody_reads_them(
    run: Run, reading: Path, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "vitrine.bootstrap.curation.deployed_publisher", lambda environment: publisher
    )
    done = run("object", "put", str(reading))
    assert done.exit_code == 0
    assert "3 pages are not read: nobody reads texts in this environment" in done.stdout


def test_what_became_of_pages_is_shown_with_reasons(
    run: Run, reading: Path, service: Deployment
) -> None:
    run("object", "put", str(reading))
    note(service)
    for arguments in ((), ("book",)):
        done = run("object", "ocr", *arguments)
        assert done.exit_code == 1
        assert "book: 1 pages read, 1 without a word, 1 could not be read" in done.stdout
        assert "three: it took more than 300 seconds" in done.stdout
    shown = json.loads(run("object", "ocr", "--json").stdout)
    assert shown["pages"][0]["failed"] == {"three": "it took more than 300 seconds"}


def test_pages_without_a_text_are_read_again_on_request(
    run: Run, reading: Path, service: Deployment
) -> None:
    run("object", "put", str(reading))
    note(service)
    done = run("object", "ocr", "book", "--again")
    assert (done.exit_code, "2 pages are being read" in done.stdout) == (0, True)
    pages = load_readings(service.records, "book")[0].pages
    assert [one.state for one in pages.values()] == ["read"]


def test_pages_that_are_being_read_are_left_alone(
    run: Run, reading: Path, service: Deployment
) -> None:
    run("object", "put", str(reading))
    note(service, until="2999-01-01T00:00:00Z")
    done = run("object", "ocr", "book", "--again")
    assert done.exit_code == 1
    assert "its pages are being read at this moment" in done.stdout
    assert len(load_readings(service.records, "book")[0].pages) == 3


def test_a_page_that_failed_is_not_shown_when_it_has_another_text(
    run: Run, reading: Path, service: Deployment
) -> None:
    run("object", "put", str(reading))
    note(service)
    assert run("object", "ocr", "book").exit_code == 1
    service.identifiers.write(
        live("three", 800, 600, version="new", revision=1), service.identifiers.get("three")
    )
    done = run("object", "ocr", "book")
    assert done.exit_code == 0
    assert "1 pages read, 1 without a word, 0 could not be read, 1 not yet read" in done.stdout


def test_pages_that_were_begun_and_those_that_were_not_are_shown(
    run: Run, reading: Path, service: Deployment
) -> None:
    run("object", "put", str(reading))
    assert "0 could not be read, 3 not yet read" in run("object", "ocr", "book").stdout
    begun = {ocr_name("one", "eng"): PageReading("begun", "one", "no space left", tries=1)}
    save_readings(service.records, "book", Readings(begun), "")
    assert "0 could not be read, 3 not yet read" in run("object", "ocr", "book").stdout
    done = run("object", "ocr", "book", "--again")
    assert "3 pages are being read" in done.stdout
    assert load_readings(service.records, "book")[0].pages == {}


def test_what_is_no_object_is_named(run: Run, reading: Path) -> None:
    done = run("object", "ocr", "unknown", "--again")
    assert done.exit_code == 1
    assert "There is no object" in done.stderr
    for arguments in (("--again",), ("--all",), ("book", "--again", "--all")):
        done = run("object", "ocr", *arguments)
        assert (done.exit_code, "vitrine object ocr --again --all" in done.stderr) == (2, True)
    done = run("object", "ocr", "unknown")
    assert (done.exit_code, "There is no object" in done.stderr) == (1, True)


@pytest.fixture
def shelves(run: Run, reading: Path, service: Deployment, tmp_path: Path) -> None:
    """The book, of which two pages have no text; one that was not read yet; one without
    languages; one in a language that nobody reads here; and one that is being read."""
    run("object", "put", str(reading))
    note(service)
    canvases = (Canvas(image="one"), Canvas(image="two"))
    for name, languages in {"new": "eng", "plain": "", "other": "deu", "busy": "eng"}.items():
        path = tmp_path / f"{name}.json"
        path.write_bytes(msgspec.json.encode(book(name, canvases=canvases, ocr=languages)))
        run("object", "put", str(path))
    failed = {ocr_name("one", "eng"): PageReading("failed", "one", "no memory")}
    save_readings(service.records, "busy", Readings(failed, "2999-01-01T00:00:00Z"), "")


def test_pages_of_all_objects_are_read_again_on_request(
    run: Run, shelves: None, service: Deployment
) -> None:
    done = run("object", "ocr", "--again", "--all")
    assert done.exit_code == 1
    assert "4 pages of 2 objects are being read" in done.stdout
    assert "other:\n  2 pages are not read: this environment reads eng, and not deu" in done.stdout
    assert "busy:\n  its pages are being read at this moment: try again" in done.stdout
    assert "plain" not in done.stdout
    pages = load_readings(service.records, "book")[0].pages
    assert [one.state for one in pages.values()] == ["read"]
    assert load_readings(service.records, "busy")[0].pages


def test_pages_with_a_text_are_read_again_if_that_is_said(
    run: Run, reading: Path, service: Deployment
) -> None:
    run("object", "put", str(reading))
    note(service)
    done = run("object", "ocr", "book", "--again", "--with-texts")
    assert (done.exit_code, "3 pages are being read" in done.stdout) == (0, True)
    assert "0 pages read, 0 without a word, 0 could not be read, 3 not yet read" in done.stdout
    assert run("object", "ocr", "book", "--with-texts").exit_code == 2


def test_json_names_the_objects_that_are_read_again(run: Run, shelves: None) -> None:
    shown = json.loads(run("object", "ocr", "--again", "--all", "--json").stdout)
    assert shown["pages"] == []
    assert {one.pop("identifier"): one for one in shown["requested"]} == {
        "book": {"is_busy": False, "pages": 2, "reason": ""},
        "busy": {"is_busy": True, "pages": 0, "reason": ""},
        "new": {"is_busy": False, "pages": 2, "reason": ""},
        "other": {
            "is_busy": False,
            "pages": 2,
            "reason": "this environment reads eng, and not deu",
        },
    }
