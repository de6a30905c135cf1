"""Two departments publish folders and tables of the same names: none changes what another has."""

from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import pyvips

from tests.unit.cli.conftest import Ended, Run
from tests.unit.cli.memory_service import memory_migration
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Described
from vitrine.identify.effective_rule import effective
from vitrine.iiif.presentation.model import PublishedObject
from vitrine.records import Live, Redirect
from vitrine.store.collection_rules import HeldRules

RULES = """
[collection]
identifier = "{name}"
label = "{name}"
[source]
table = "table.csv"
masters = "scans"
[object]
identifier = "{{number}}"
label = "{{title}}"
image = "{{file}}"
"""
PRINTS, MAPS = 40, 50
"""Widths of their pictures, in pixels."""


class Departments:
    """Departments, each with a folder that has `scans/001.png` and a table."""

    def __init__(
        self, run: Callable[..., Any], service: Deployment, publisher: Publisher, folder: Path
    ) -> None:
        self._run, self.service, self._publisher, self.folder = run, service, publisher, folder

    def write(self, name: str, width: int, *numbers: str, access: str = "") -> None:
        scans = self.folder / name / "scans"
        scans.mkdir(parents=True, exist_ok=True)
        pyvips.Image.black(width, 30).pngsave(str(scans / "001.png"))
        rules = RULES.format(name=name)
        if access:
            rules = rules.replace("[source]", f'access = "{access}"\n[source]')
        (scans.parent / "collection.toml").write_text(rules)
        rows = [f"{number},{name},001.png" for number in numbers]
        (scans.parent / "table.csv").write_text("\n".join(["number,title,file", *rows]) + "\n")

    def publish(self, name: str, *options: str) -> Ended:
        ended: Ended = self._run(
            "collection", "publish", self.folder / name / "collection.toml", *options
        )
        return ended

    def image(self, identifier: str) -> tuple[str, int, str]:
        """Return owner, width and master's key of an image."""
        image = self.service.identifiers.get(identifier)
        assert isinstance(image, Live)
        return image.owner, image.width, image.master_key

    def object(self, identifier: str) -> tuple[str, str, str]:
        """Return owner, title and picture of an object."""
        record = self._publisher.journal.latest(identifier)
        assert isinstance(record, Described)
        assert isinstance(record.item, PublishedObject)
        (label,) = record.item.label.values()
        return record.owner, label[0], record.item.canvases[0].image

    def stored(self) -> bytes:
        """Return keys, metadata and contents of all that is in buckets."""
        masters: Any = self.service.masters
        stores: list[Any] = [masters, self.service.records, self.service.site]
        found = b""
        for store in stores:
            assert isinstance(store, MemoryObjectStore)
            for entry in store.list_keys(limit=1_000).entries:
                body, info = store.get(entry.key)
                found += repr((entry.key, dict(info.metadata))).encode() + body
        return found


@pytest.fixture
def departments(
    run_program: Run,
    service: Deployment,
    publisher: Publisher,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Departments:
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path / "kept"))
    migration = memory_migration(service)
    monkeypatch.setattr("vitrine.cli.masters.migrate.migration_services", lambda _: migration)
    return Departments(run_program, service, publisher, tmp_path)


def test_two_departments_with_the_same_names_never_meet(departments: Departments) -> None:
    departments.write("prints", PRINTS, "1847-1", "PR-1")
    departments.write("maps", MAPS, "1847-1", "MA-1")
    assert departments.publish("prints").exit_code == 0
    before = departments.service.identifiers.get("001")
    # Through "..", as people type it.
    (departments.folder / "here").mkdir()
    for name in ("here/../maps", "maps"):
        ended = departments.publish(name)
        assert ended.exit_code == 1
        assert 'belongs to the collection "prints", so the collection "maps"' in ended.stdout
        assert departments.service.identifiers.get("001") == before
        assert departments.image("maps-001") == ("maps", MAPS, "maps/scans/001.png")
        assert departments.object("MA-1") == ("maps", "maps", "maps-001")
    assert departments.publish("prints").exit_code == 0
    assert departments.image("001") == ("prints", PRINTS, "prints/scans/001.png")
    assert departments.object("1847-1") == ("prints", "prints", "001")
    assert str(departments.folder).encode() not in departments.stored()


def test_a_collection_is_published_from_a_copy_of_its_folder(departments: Departments) -> None:
    """A colleague's copy, or a second work tree, is no other department."""
    departments.write("prints", PRINTS, "PR-1")
    assert departments.publish("prints").exit_code == 0
    copytree(departments.folder / "prints", departments.folder / "copy")
    pyvips.Image.black(MAPS, 30).pngsave(str(departments.folder / "copy/scans/001.png"))
    ended = departments.publish("copy")
    assert ended.exit_code == 0, ended.stdout + ended.stderr
    assert departments.image("001") == ("prints", MAPS, "prints/scans/001.png")


@pytest.mark.slow
def test_what_another_department_has_is_taken_over_by_its_name_only(
    departments: Departments,
) -> None:
    departments.write("prints", PRINTS, "1847-1", "PR-1")
    departments.write("maps", MAPS, "1847-1", "MA-1")
    departments.publish("prints")
    departments.publish("maps")
    ended = departments.publish("maps", "--take-over", "1847-1", "--take-over", "001")
    assert ended.exit_code == 0, ended.stdout + ended.stderr
    assert departments.object("1847-1") == ("maps", "maps", "001")
    assert departments.image("001") == ("maps", MAPS, "maps/scans/001.png")
    assert isinstance(departments.service.identifiers.get("maps-001"), Redirect)
    # Who lost it gets the collection's identifier in front as well.
    assert departments.publish("prints").exit_code == 1
    assert departments.image("001") == ("maps", MAPS, "maps/scans/001.png")
    assert departments.image("prints-001") == ("prints", PRINTS, "prints/scans/001.png")
    assert departments.publish("maps").exit_code == 0


def test_a_table_rules_no_image_of_another_department(departments: Departments) -> None:
    departments.write("prints", PRINTS, "PR-1")
    departments.publish("prints")
    departments.write("maps", MAPS, "MA-1", access="closed")
    rules = departments.folder / "maps" / "collection.toml"
    # It has no files, and shows the other one's picture.
    rules.write_text(rules.read_text().replace('masters = "scans"\n', ""))
    (departments.folder / "maps/scans/001.png").unlink()
    ended = departments.publish("maps")
    assert "Images of other collections keep their rules of access: 001" in ended.stdout
    image = departments.service.identifiers.get("001")
    assert image
    assert effective(image, HeldRules(departments.service.records)()) in ("", "open")


def test_image_replace_replaces_the_picture_and_nothing_else(
    departments: Departments, run_program: Run
) -> None:
    departments.write("prints", PRINTS, "PR-1")
    departments.publish("prints")
    departments.write("new", MAPS)
    new = departments.folder / "new/scans/001.png"
    new = new.rename(new.with_name("better scan.png"))
    assert run_program("image", "replace", "001", new).exit_code == 0
    assert departments.image("001") == ("prints", MAPS, "prints/scans/001.png")
    refused = run_program("image", "replace", "1847-1", new)
    assert (refused.exit_code, "There is no image" in refused.stderr) == (1, True)
