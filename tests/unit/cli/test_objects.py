"""`vitrine object`: records in, addresses out."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from typer.testing import Result

from tests.unit.catalogue.object_bench import IMAGES, book, shelf
from tests.unit.deliver.deliver_records import live
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Item
from vitrine.iiif.presentation.model import Canvas
from vitrine.store.layout import publication_key

pytestmark = pytest.mark.usefixtures("curated")
Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def images(service: Deployment, publisher: Publisher) -> None:
    """Those of a book, published."""
    for image in IMAGES:
        service.identifiers.write(live(image, revision=1), None)


def written(path: Path, *items: Item) -> Path:
    path.write_bytes(b"\n\n".join(msgspec.json.encode(item) for item in items))
    return path


def test_each_record_is_answered_with_the_address_of_its_document(run: Run, tmp_path: Path) -> None:
    result = run("object", "put", written(tmp_path / "a.jsonl", book(), shelf()))
    assert (result.exit_code, result.stdout.splitlines()) == (
        0,
        [
            "book: published, http://edge/presentation/3/book/manifest.json",
            "shelf: published, http://edge/presentation/3/shelf/collection.json",
        ],
    )
    again = run("object", "put", tmp_path / "a.jsonl")
    assert "book: was up to date, http://edge/" in again.stdout


def test_images_that_are_missing_are_named(run: Run, tmp_path: Path) -> None:
    some = book(canvases=(Canvas(image="one"), Canvas(image="nowhere")))
    none = book("later", canvases=(Canvas(image="nowhere"),))
    lines = run("object", "put", written(tmp_path / "a.jsonl", some, none)).stdout.splitlines()
    assert lines[1:] == [
        "  left out until it is published: the image nowhere",
        "later: waits until one of its images is published",
        "  left out until it is published: the image nowhere",
    ]


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("closed", "hidden: is shown to nobody, since its images are closed"),
        ("staff", "hidden: published, http://edge/presentation/3/hidden/manifest.json"),
    ],
)
def test_an_object_whose_images_are_closed_is_not_said_to_wait_for_them(
    run: Run, tmp_path: Path, rule: str, line: str
) -> None:
    run("access", "image", "one", rule)
    records = written(tmp_path / "a.jsonl", book("hidden", canvases=(Canvas(image="one"),)))
    assert run("object", "put", records).stdout.splitlines() == [line]


def test_what_is_shown_can_be_put_again(run: Run, tmp_path: Path) -> None:
    run("object", "put", written(tmp_path / "a.json", book()))
    shown = run("object", "show", "book")
    assert msgspec.json.decode(shown.stdout, type=type(book())) == book()
    (tmp_path / "b.json").write_text(shown.stdout)
    assert "was up to date" in run("object", "put", tmp_path / "b.json").stdout
    record = json.loads(run("object", "show", "book", "--json").stdout)
    assert (record["state"], record["revision"], record["item"]["type"]) == (
        "described",
        1,
        "object",
    )


def test_a_record_over_another_revision_is_refused(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", book())
    assert run("object", "put", path, "--revision", "0").exit_code == 0
    written(path, book(title="Another"))
    refused = run("object", "put", path, "--revision", "0")
    assert (refused.exit_code, "has revision 1, not 0" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "a.json: Input data was truncated"),
        ("[1", "a.json: Input data was truncated"),
        ("[1]", "a.json, record 1: Expected `object`, got `int`"),
        ('{"type": "object", "identifier": "a", "label": {"en": "A"}, "canvases": []}', "`$.label"),
        ('{"type": "object", "identifier": "a", "label": {}, "canvases": [{}]}', "canvases[0]"),
    ],
)
def test_a_file_that_is_not_one_of_records_is_named_with_the_place(
    run: Run, tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "a.json").write_text(text)
    result = run("object", "put", tmp_path / "a.json")
    assert (result.exit_code, sentence in result.stderr) == (1, True), result.stderr


def test_an_object_is_renamed_withdrawn_and_remembered(run: Run, tmp_path: Path) -> None:
    run("object", "put", written(tmp_path / "a.json", book()))
    result = run("object", "rename", "book", "book")
    assert (result.exit_code, '"book" is called that already' in result.stderr) == (1, True)
    assert run("object", "rename", "book", "ms-1").stdout == "book: redirects to ms-1\n"
    done = run("object", "withdraw", "ms-1", "--reason", "A claim.")
    assert (done.exit_code, done.stdout) == (0, "ms-1: withdrawn: A claim.\n")
    lines = run("object", "history", "ms-1").stdout.splitlines()
    assert [line.split(maxsplit=2)[1:] for line in lines] == [
        ["1", "shows “A book”"],
        ["2", "withdrawn: A claim."],
    ]
    assert set(run("object", "list").stdout.split()) == {"book", "ms-1"}
    assert run("object", "show", "ms-1").exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "nobody"),
        ("history", "nobody"),
        ("rename", "nobody", "new"),
        ("withdraw", "nobody", "--reason", "x"),
    ],
)
def test_an_unknown_object_is_no_success(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("object", *arguments)
    assert result.exit_code == 1
    assert 'There is no object "nobody"; check its spelling.' in result.stderr


def test_a_withdrawal_needs_a_reason(run: Run) -> None:
    assert run("object", "withdraw", "book", "--reason", " ").exit_code == 2


def test_what_the_bucket_of_manifests_lost_is_published_again(
    run: Run, service: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("object", "put", written(tmp_path / "a.json", book()))
    run("object", "put", written(tmp_path / "b.json", shelf()))
    before, _ = service.site.get(publication_key("book"))
    monkeypatch.setattr(service.site, "_versions", {})
    result = run("object", "rebuild", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (
        0,
        {"objects": 2, "written": 2, "left_out": 0},
    )
    assert service.site.get(publication_key("book"))[0] == before
    assert json.loads(run("object", "rebuild", "--json").stdout) == {
        "objects": 2,
        "written": 0,
        "left_out": 0,
    }


def test_a_collection_says_who_sees_its_images(run: Run, tmp_path: Path) -> None:
    run("object", "put", written(tmp_path / "a.jsonl", book(), shelf()))
    assert run("access", "collection", "shelf").stdout == "shelf: open\n"
    assert run("access", "collection", "shelf", "Closed").stdout == "shelf: closed\n"
    assert run("access", "collection", "shelf", "closed").stdout == "shelf: closed already\n"
    assert "access closed" in run("object", "history", "shelf").stdout
    assert json.loads(run("object", "show", "shelf").stdout)["access"] == "closed"
    shown = run("access", "image", "one").stdout
    assert shown == "one: closed, from its collections (shelf: closed)\n"
    said = run("access", "image", "one", "open").stdout
    assert said.startswith("one: open; it was set for this image")
    back = json.loads(run("access", "image", "one", "inherited", "--json").stdout)
    assert (back["access"], back["is_own"], back["made"]) == ("closed", False, True)
    for name, rule in (("book", "closed"), ("shelf", "small:1"), ("nothing", "")):
        refused = run("access", "collection", name, *([rule] if rule else []))
        assert refused.exit_code == 1
        assert "no rule of access" in refused.stderr or "no collection" in refused.stderr
