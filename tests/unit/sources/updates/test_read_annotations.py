"""The annotations of a table's pages are read, and faults are named by their file."""

import json
from pathlib import Path
from typing import Any

from tests.unit.catalogue.object_bench import ObjectBench, book
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.read_annotations import MAX_NAMED, AnnotationReader
from vitrine.sources.updates.read_texts import TextReport
from vitrine.store.layout import remarks_key
from vitrine.text.annotations.stored_annotations import decode_remarks
from vitrine.text.transcription.page_text import CanvasSize


def attach(
    bench: ObjectBench, *files: Path | str, texts: tuple[str, ...] = ()
) -> tuple[PublishedObject, TextReport]:
    """The book with the annotations of its images, published."""
    reader = AnnotationReader(bench.publisher, "letters")
    names = tuple(map(str, files))
    mapped = reader.attach(MappedObject(1, book(), texts=texts, annotations=names))
    bench.objects.put(mapped.item)
    return mapped.item, reader.report


def values(bench: ObjectBench, item: PublishedObject) -> list[list[str]]:
    """What the annotations of each canvas say, as they are stored."""
    found = []
    for canvas in item.canvases:
        said: list[str] = []
        if canvas.annotations:
            body, _ = bench.records.get(remarks_key(canvas.annotations))
            remarks = decode_remarks(body, CanvasSize(800, 600))
            said = [one.value for remark in remarks.values() for one in remark.bodies]
        found.append(said)
    return found


def comment(text: str, canvas: int = 1, **more: Any) -> dict[str, Any]:
    """An annotation of a canvas of the book."""
    target = f"https://a.example/presentation/3/book/canvas/{canvas}#xywh=1,2,3,4"
    body = {"type": "TextualBody", "value": text}
    return {"motivation": "commenting", "body": body, "target": target} | more


def write(path: Path, *annotations: dict[str, Any]) -> Path:
    """A file of annotations."""
    path.write_text(json.dumps({"type": "AnnotationPage", "items": annotations}))
    return path


def test_each_image_has_the_annotations_of_its_file(bench: ObjectBench, tmp_path: Path) -> None:
    path = write(tmp_path / "1.json", comment("a"), comment("b", target="#xywh=1,1,1,1"))
    item, report = attach(bench, path, "", "")
    assert values(bench, item) == [["a", "b"], [], []]
    assert (report.read, report.unchanged, report.refused) == (1, 0, [])
    again, report = attach(bench, path, "", "")
    assert again == item
    assert (report.read, report.unchanged) == (0, 1)


def test_a_file_of_all_images_is_divided_by_its_targets(bench: ObjectBench, tmp_path: Path) -> None:
    path = write(tmp_path / "b.json", comment("three", 3), comment("one"))
    item, report = attach(bench, *[path] * 3)
    assert values(bench, item) == [["one"], [], ["three"]]
    assert (report.read, report.empty, report.refused) == (2, 1, [])


def test_what_cannot_be_read_is_named_each_time_and_the_rest_is_published(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "1.json", comment("a", 9), comment("b"))
    for _ in range(2):
        item, report = attach(bench, path, "", "")
        assert values(bench, item)[0] == ["b"]
        ((file, sentence),) = report.refused
        assert file == str(path)
        assert sentence.startswith("annotation 1: its target 'https://a.example/presentation/3/")


def test_of_many_faults_some_are_named_and_the_others_counted(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "1.json", *[comment("a", 9)] * (MAX_NAMED + 5))
    _, report = attach(bench, path, "", "")
    assert len(report.refused) == MAX_NAMED + 1
    assert report.refused[-1][1] == "5 more annotations cannot be read"


def test_a_date_that_is_no_moment_is_a_note_and_no_fault(
    bench: ObjectBench, tmp_path: Path
) -> None:
    dated = [comment("a", created="2019-05-01")] * (MAX_NAMED + 5)
    path = write(tmp_path / "1.json", *dated)
    item, report = attach(bench, path, "", "")
    assert len(values(bench, item)[0]) == len(dated)
    assert report.refused == []
    assert report.notes[0][0] == str(path)
    assert report.notes[0][1].startswith("annotation 1: its created '2019-05-01' is no moment")
    assert report.notes[-1][1] == "5 more annotations are not read whole"


def test_texts_of_pages_are_said_unless_they_are_read_as_such(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "1.json", comment("a"), comment("b", motivation="supplementing"))
    _, report = attach(bench, path, "", "")
    (refused,) = report.refused
    assert refused[1] == "it has 1 texts of a page: name the file as its text as well"
    assert attach(bench, path, "", "", texts=(str(path), "", ""))[1].refused == []


def test_a_file_that_is_damaged_takes_its_annotations_away(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "1.json", comment("a"))
    attach(bench, path, "", "")
    path.write_text("{")
    item, report = attach(bench, path, "", "")
    assert values(bench, item)[0] == []
    assert "it is not JSON" in report.refused[0][1]


def test_annotations_stay_while_their_file_cannot_be_opened(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "1.json", comment("a"))
    attach(bench, path, "", "")
    path.unlink()
    item, report = attach(bench, path, "", "")
    assert values(bench, item)[0] == ["a"]
    assert "that are published of it, if any, stay" in report.refused[0][1]


def test_an_image_that_is_not_published_keeps_what_it_had(
    bench: ObjectBench, tmp_path: Path
) -> None:
    path = write(tmp_path / "1.json", comment("a"))
    attach(bench, path, "", "")
    bench.withdraw_image("one")
    item, report = attach(bench, path, "", "")
    assert item.canvases[0].annotations
    assert report.refused == []


def test_an_object_without_annotations_is_as_it_was(bench: ObjectBench) -> None:
    mapped = MappedObject(1, book())
    assert AnnotationReader(bench.publisher, "letters").attach(mapped) is mapped


def test_a_file_of_several_images_waits_until_all_of_the_object_are_published(
    bench: ObjectBench, tmp_path: Path
) -> None:
    """What its targets count is what is published: with one image less, they mean the next."""
    path = write(tmp_path / "b.json", comment("two", 2), comment("three", 3))
    attach(bench, *[path] * 3)
    bench.withdraw_image("one")
    write(path, comment("on the second that is published", 2))
    item, report = attach(bench, *[path] * 3)
    assert values(bench, item) == [[], ["two"], ["three"]]
    ((file, sentence),) = report.refused
    assert file == str(path)
    assert sentence.startswith("the image 'one' is not published")
