"""Commands of a curator whose department may change its own collections, by the API alone."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.memory_service import api_client
from tests.unit.deliver.deliver_records import live
from vitrine.api import ingest_operations
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import objects_journal
from vitrine.identify.owners import note_owner
from vitrine.iiif.presentation.model import ObjectCollection
from vitrine.records import Gone, Live, Redirect

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("department")]
WHOSE = '"theirs" belongs to the collection "maps", and you may change what belongs to "prints".'
REFUSED = f"vitrine: {WHOSE}\n"


class ReadOnly:
    """A port that a curator's own rights let read, and write nothing with."""

    def __init__(self, port: Any) -> None:
        self._port = port

    def __getattr__(self, name: str) -> Any:
        if name in ("write", "put", "publish", "publish_many", "record", "delete"):
            raise AssertionError(f"a command of a curator used {name} of {self._port}")
        return getattr(self._port, name)


@pytest.fixture
def department(
    service: Deployment, publisher: Publisher, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The API as a curator of `prints` reaches it, who may read besides; `theirs` is of `maps`."""
    image = replace(live("theirs", 800, 600, revision=1), owner="maps")
    service.identifiers.write(image, None)
    shelf = ObjectCollection(identifier="theirs", label={"en": ("Theirs",)})
    Objects(publisher).put(shelf, owner="maps")
    note_owner(service.records, "prints")
    api = api_client(service, publisher, department=("prints",))
    ports = ("identifiers", "records", "events", "site")
    reading: Any = {name: ReadOnly(getattr(service, name)) for name in ports}
    journal = objects_journal(reading["records"])
    reader = replace(publisher, catalogue=replace(publisher.catalogue, journal=journal), **reading)
    only_reading = replace(service, **reading, outcomes=ReadOnly(service.outcomes))
    monkeypatch.setattr("vitrine.bootstrap.curation.api_of_curators", lambda environment: api)
    monkeypatch.setattr("vitrine.cli.console.environment.deployment", lambda _: only_reading)
    for module in ("bootstrap.curation", "cli.image.curate", "cli.access.image"):
        monkeypatch.setattr(f"vitrine.{module}.deployed_publisher", lambda environment: reader)


@pytest.fixture
def ours(service: Deployment, picture: Path) -> str:
    """An image of `prints`."""
    service.masters.upload(
        picture, "prints/ours.tif", content_type="image/tiff", metadata={"identifier": "ours"}
    )
    record = service.identifiers.get("ours")
    assert isinstance(record, Live)
    assert record.owner == "prints"
    return "ours"


@pytest.mark.parametrize(
    "command",
    [
        ("image", "withdraw", "theirs", "--reason", "A claim."),
        ("image", "restore", "theirs"),
        ("image", "rename", "theirs", "other"),
        ("access", "image", "theirs", "closed"),
        ("access", "image", "theirs", "inherited"),
        ("access", "unshare", "theirs"),
        ("redirects", "add", "theirs", "ours", "--replace-live"),
        ("object", "withdraw", "theirs", "--reason", "A claim."),
        ("object", "rename", "theirs", "other"),
        ("access", "collection", "theirs", "closed"),
    ],
)
def test_what_is_anothers_is_refused_with_both_sides_named(
    run: Any, service: Deployment, ours: str, command: tuple[str, ...]
) -> None:
    before = service.identifiers.get("theirs")
    refused = run(*command)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr == REFUSED
    assert service.identifiers.get("theirs") == before


def test_a_department_looks_after_its_images_without_a_right_to_write(
    run: Any, read_json: Callable[..., Any], service: Deployment, ours: str, picture: Path
) -> None:
    table = service.identifiers
    assert read_json("access", "image", ours, "closed")["made"] is True
    assert read_json("access", "image", ours, "closed")["made"] is False
    assert read_json("access", "image", ours, "inherited")["made"] is True
    assert run("access", "unshare", ours).exit_code == 0
    assert run("redirects", "add", "earlier", ours).exit_code == 0
    assert run("image", "replace", ours, picture).exit_code == 0
    renamed = run("image", "rename", ours, "better")
    assert renamed.stdout.startswith("better: renamed, and ours redirects to it\n")
    previous = table.get("earlier")
    assert isinstance(previous, Redirect)
    assert (previous.target, previous.owner) == ("better", "prints")
    assert run("redirects", "remove", "earlier").stdout == "earlier no longer redirects to better\n"
    assert run("image", "withdraw", "better", "--reason", "A claim.").exit_code == 0
    assert isinstance(table.get("better"), Gone)
    assert run("image", "restore", "better").exit_code == 0
    assert isinstance(table.get("better"), Live)


def test_a_master_that_the_api_cannot_copy_in_time_is_copied_here(
    run: Any, service: Deployment, ours: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_operations, "MAX_COPIED_BYTES", 1)
    assert run("image", "rename", ours, "large").exit_code == 0
    assert run("image", "withdraw", "large", "--reason", "A claim.").exit_code == 0
    assert run("image", "restore", "large").exit_code == 0
    assert isinstance(service.identifiers.get("large"), Live)
    assert run("image", "rename", "theirs", "mine").stderr == REFUSED


def test_an_import_writes_a_departments_redirects_and_names_those_of_others(
    run: Any, read_json: Callable[..., Any], service: Deployment, ours: str, tmp_path: Path
) -> None:
    file = tmp_path / "redirects.csv"
    rows = "".join(f"old-{number},ours\n" for number in range(250))
    file.write_text(f"old,new\n{rows}theirs,ours\n")
    done = run("redirects", "import", file, "--replace-live", "--take-over", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["written"] == {"written": 250, "stood": 0, "collapsed": 0}
    [fault] = json.loads(done.stdout)["faults"]
    assert (fault["line"], fault["code"]) == (252, "collection-forbidden")
    assert fault["sentence"] == WHOSE
    for number in range(250):
        record = service.identifiers.get(f"old-{number}")
        assert isinstance(record, Redirect)
        assert (record.target, record.owner) == ("ours", "prints")
    again = read_json("redirects", "import", file, "--replace-live", "--take-over")
    assert again["planned"]["stand"] == 250


def test_a_department_looks_after_its_objects_without_a_right_to_write(
    run: Any, ours: str, tmp_path: Path, publisher: Publisher
) -> None:
    file = tmp_path / "sheet.json"
    sheet = {"type": "object", "identifier": "sheet", "label": {"en": ["A sheet"]}}
    file.write_text(json.dumps(sheet | {"canvases": [{"image": ours}]}))
    assert run("object", "put", file).stdout == (
        "sheet: published, http://edge/presentation/3/sheet/manifest.json\n"
    )
    stale = run("object", "put", file, "--revision", "7")
    assert (stale.exit_code, '"sheet" has revision 1, not 7' in stale.stderr) == (1, True)
    assert run("object", "rename", "sheet", "leaf").exit_code == 0
    gone = run("object", "withdraw", "leaf", "--reason", "A claim.")
    assert gone.stdout == "leaf: withdrawn: A claim.\n"
    latest = publisher.journal.latest("leaf")
    assert latest
    assert latest.owner == "prints"
