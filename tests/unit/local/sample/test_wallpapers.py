"""The sample collection is what a curator would hand in: nothing about it is amiss."""

import csv
import re
from pathlib import Path

import pytest

from vitrine.local import debian_files
from vitrine.local.sample import wallpapers
from vitrine.local.sample.wallpapers import RULES, TABLE, gather_wallpapers, list_scans
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.masters_folder import folder_masters
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.sources.updates.open_mapper import open_mapper

HERE = Path(wallpapers.__file__).parent


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the package be there, with files that have other bytes than the real ones."""

    def extract(name: str, scratch: Path) -> Path:
        for scan in list_scans():
            path = scratch / name / scan.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(scan.name.encode())
        return scratch / name

    monkeypatch.setattr(debian_files, "extract_package", extract)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Table and rules with files under the names of the scans."""
    (tmp_path / "scans").mkdir()
    for scan in list_scans():
        (tmp_path / "scans" / scan.name).touch()
    for name in (TABLE, RULES):
        (tmp_path / name).write_bytes((HERE / name).read_bytes())
    return tmp_path


def map_sample(folder: Path) -> tuple[list[MappedObject], list[RowNote]]:
    mapping = read_mapping(folder / RULES)
    found = list(open_mapper(mapping, folder_masters(mapping.masters)).objects())
    objects = [one for one in found if isinstance(one, MappedObject)]
    return objects, [one for one in found if isinstance(one, RowNote)]


def test_every_object_has_what_a_visitor_looks_for(folder: Path) -> None:
    objects, _ = map_sample(folder)
    assert len(objects) == 14
    for one in objects:
        assert one.item.summary["en"], one.item.identifier
        assert one.item.required_statement, one.item.identifier
        assert all(canvas.alt_text["en"] for canvas in one.item.canvases)
        labels = {statement.label["en"][0] for statement in one.item.metadata}
        assert {"Maker", "Year", "Technique", "Subject", "Licence"} <= labels


def test_the_only_note_is_that_iiif_does_not_know_the_gnu_licence(folder: Path) -> None:
    objects, notes = map_sample(folder)
    assert {note.rule for note in notes} == {"rights"}
    assert len(notes) == sum(not one.item.rights for one in objects)
    licences = {one.item.identifier: str(one.item.required_statement) for one in objects}
    assert all("GNU General" in licences[one.item.identifier] for one in objects[:-1])


def test_the_series_is_one_object_of_four_named_pages(folder: Path) -> None:
    (series,) = [one.item for one in map_sample(folder)[0] if len(one.item.canvases) > 1]
    assert series.rights == "http://creativecommons.org/licenses/by-sa/4.0/"
    labels = [canvas.label["en"][0] for canvas in series.canvases]
    assert labels == ["Cold", "Dark", "Radioactive", "Warm"]


def test_alternative_texts_are_short_and_descriptions_say_more() -> None:
    with (HERE / TABLE).open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            text, description = row["Alternative text"], row["Description"]
            assert len(text) <= 160, row["Identifier"]
            assert not re.match(r"(?i)(image|photograph|picture) of", text)
            if text and description:
                assert len(description) > len(text), row["Identifier"]


@pytest.mark.usefixtures("package")
def test_pictures_of_another_package_are_not_published_under_our_titles(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"has SHA-256 .*, expected"):
        gather_wallpapers(tmp_path)


def test_a_table_that_somebody_changed_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wallpapers, "fetch_all", lambda files, place: [])
    (folder / TABLE).write_text("Identifier\n")
    assert gather_wallpapers(folder) == folder / RULES
    assert (folder / TABLE).read_text() == "Identifier\n"
