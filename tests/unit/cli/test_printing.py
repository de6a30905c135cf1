"""Nothing from a file, a key or a person reaches a terminal or a page as it is."""

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from docs.build.command_tree import read_commands
from tests.rigs.records import live, outcome
from tests.unit.statistics.log_bench import nginx
from vitrine.adapters.memory.edge_cache import MemoryEdgeCache
from vitrine.adapters.memory.foreign_objects import MemoryForeignObjects
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.publisher import Publisher
from vitrine.catalogue.records import Described, TakenDown, objects_journal
from vitrine.edge.invalidation import InvalidateServices
from vitrine.iiif.presentation.model import Canvas, PublishedObject
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.record_outcome import record_failure
from vitrine.ingest.services import IngestServices
from vitrine.local.schedules import note_run, write_schedules
from vitrine.migrate.services import MigrationServices
from vitrine.records import Gone, Redirect
from vitrine.sources.harvest.harvest_log import log_harvest
from vitrine.sources.harvest.kept_folder import Harvest
from vitrine.sources.updates.schedule import Schedule
from vitrine.sources.updates.schedule import UpdateRun as Update
from vitrine.store.clock import now
from vitrine.visible_text import JOINERS

Run = Callable[..., Any]
CLI = Path(__file__).parents[3] / "vitrine" / "cli"

CONTROLS = "\x1b[2J\x1b]0;owned\x07\x9b31m\x7f\x08\r\u202e\u2066\u2028\nforged line"
MARKUP = "[red]x[/red] [link=http://e]y[/link] :smile:"
HOSTILE = f"{CONTROLS} {MARKUP}"
KEY = f"{HOSTILE}.tif"
NAME = f"a {MARKUP}"
"""An identifier has no controls, but may have markup."""
LOOKS = ("show", "history")
NOT_WALKED = {
    "vitrine up": "prints our own words; what it ingests is printed by `vitrine ingest`",
    "vitrine down": "prints our own words",
    "vitrine site publish": "prints a count",
    "vitrine identifiers rebuild": "prints counts",
    "vitrine masters reconcile": "prints counts",
    "vitrine object rebuild": "prints counts",
    "vitrine api show": "prints the address of our own API",
    "vitrine api document": "prints our own words",
    "vitrine deploy check": "prints what is in our own templates and our own account",
    "vitrine deploy stacks": "prints what is in our own templates and our own account",
}


@pytest.fixture
def hostile(
    service: Deployment,
    publisher: Publisher,
    picture: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Deployment:
    """A service in which every text that came from outside is hostile."""
    services: IngestServices = service.masters.services  # type: ignore[attr-defined]
    at = "2026-11-22T00:00:00.000Z"
    image = live(NAME, revision=1, master_key=KEY)
    gone = Gone(identifier=f"gone {MARKUP}", revision=1, reason=HOSTILE, changed_at=at)
    redirect = Redirect(
        identifier=f"old {MARKUP}", revision=1, target=NAME, changed_at=at, note=HOSTILE
    )
    for record in (image, gone, redirect):
        service.register.journal.append(record)
        service.identifiers.write(record, None)
    text = {"sentence": HOSTILE, "value": HOSTILE, "notes": (HOSTILE,)}
    rejected = outcome(KEY, "rejected", identifier=HOSTILE, code="not-an-image", **text)
    for state in ("rejected", "running"):
        key = f"{state} {KEY}"
        service.outcomes.record(replace(rejected, master_key=key, state=state))  # type: ignore[arg-type]
    request = IngestMaster(
        master_key=f"failed {KEY}",
        master_version="v1",
        master_etag="",
        master_bytes=1,
        master_modified=at,
        identifier=HOSTILE,
    )
    record_failure(services, request, {"Error": "States.Timeout", "Cause": HOSTILE})
    service.dead_letters.send(HOSTILE)
    hostile = {"en": (HOSTILE,)}
    item = PublishedObject(identifier=NAME, label=hostile, canvases=(Canvas(image=NAME),))
    journal = objects_journal(service.records)
    journal.append(NAME, 1, Described(identifier=NAME, revision=1, changed_at=at, item=item))
    withdrawn = TakenDown(identifier="down", revision=1, changed_at=at, reason=HOSTILE)
    journal.append("down", 1, withdrawn)
    service.masters.put(f"rejected {KEY}", b"", content_type="")
    monkeypatch.setattr(
        "vitrine.cli.edge.deployed_invalidate_services",
        lambda environment: InvalidateServices(edge=MemoryEdgeCache()),
    )
    migration = MigrationServices(
        ingest=services,
        masters_bucket="masters",
        foreign=MemoryForeignObjects(service.masters),  # type: ignore[arg-type]
        region="us-east-1",
    )
    kept = tmp_path / "kept"
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(kept))
    write_schedules(kept, {HOSTILE: Schedule(rules=HOSTILE, hours=3)})
    log = kept / "edge" / "logs" / "access.log"
    log.parent.mkdir(parents=True)
    names = (NAME, HOSTILE, f"=1 {MARKUP}")
    lines = [nginx(f"/objects/{quote(name, safe='')}", day=now()[:10]) for name in names]
    log.write_bytes(b"\n".join([HOSTILE.encode(), *lines]))
    note_run(kept, HOSTILE, Update(begun=at, exit_code=2, said=HOSTILE))
    monkeypatch.setattr(
        "vitrine.cli.masters.migrate.migration_services", lambda environment: migration
    )
    return service


@pytest.fixture
def files(picture: Path) -> Path:
    """A folder with one file whose name and bytes are hostile, and one CSV file of such rows."""
    folder = picture.parent / "files"
    folder.mkdir()
    (folder / "\x1b[2J\x9b [red]x :smile:.tif").write_bytes(b"\x1b[2J\x1b[31mEVIL")
    rows = f'old,new\n"{HOSTILE}","{HOSTILE}"\n'
    (picture.parent / "rows.csv").write_text(rows, encoding="utf-8", newline="")
    item = {"type": "object", "identifier": HOSTILE, "label": {HOSTILE: [HOSTILE]}, "canvases": []}
    named = item | {"identifier": NAME, "label": {"en": [HOSTILE]}, "canvases": [{"image": NAME}]}
    lines = [json.dumps(one) for one in (item, named, HOSTILE, {HOSTILE: HOSTILE})]
    (picture.parent / "objects.jsonl").write_text("\n".join(lines))
    (picture.parent / "museum").mkdir()
    for place in ("museum/table.csv", "table.csv"):
        row = f'"{HOSTILE}","{HOSTILE}","{HOSTILE}.tif"\n'
        text = f'id,"{MARKUP}",file\n{row}{row}"{NAME}","{HOSTILE}",a.tif\n'
        (picture.parent / place).write_text(text, encoding="utf-8", newline="")
    rules = ("[collection]", 'identifier = "c"', 'label = "C"', "[source]", 'table = "table.csv"')
    label = f'label = "{{{MARKUP}}}"'
    rules = (*rules, "[object]", 'identifier = "{id}"', label, 'image = "{file}"')
    (picture.parent / "rules.toml").write_text("\n".join(rules), encoding="utf-8")
    harvested = ("[collection]", 'identifier = "c"', 'label = "C"', "[source]", 'kind = "iiif"')
    harvested = (*harvested, 'address = "http://127.0.0.1:9/"', 'table = "manifests"')
    led = ("[redirects]", '"/x/{image*}/{request}" = "/iiif/2/{image}/{request}"')
    (picture.parent / "iiif.toml").write_text("\n".join((*harvested, *led)), encoding="utf-8")
    failures = Harvest(failures=[HOSTILE])
    for result in (failures, HOSTILE):
        log_harvest(picture.parent / "manifests", HOSTILE, result)
    (picture.parent / "old.txt").write_text(f"{HOSTILE}\n/x/{HOSTILE}/info.json\n")
    return folder


def calls(files: Path) -> dict[str, list[tuple[str, ...]]]:
    """Arguments for each command, so that it prints what it knows."""
    file = str(next(files.iterdir()))
    names = "page.html report.json museum rules.toml iiif.toml old.txt rows.csv objects.jsonl"
    places = (str(files.parent / name) for name in names.split())
    page, report, museum, rules, iiif, old, rows, objects = places
    return {
        "vitrine status": [(), (NAME,), (f"rejected {KEY}",), (HOSTILE,), ("--html", page)],
        "vitrine statistics": [(), ("--html", page, "--csv", rows), ("--from", HOSTILE)],
        "vitrine ingest": [(file,), (f"{file}{HOSTILE}",)],
        "vitrine masters migrate": [(str(files), "--report", page, "--report-json", report)],
        "vitrine image list": [(), (MARKUP,), ("--withdrawn",), ("--rejected",), (HOSTILE,)],
        "vitrine masters dismiss": [(HOSTILE,), (f"rejected {KEY}",)],
        "vitrine masters delete": [(HOSTILE,), (f"rejected {KEY}",)],
        "vitrine image show": [(NAME,), (f"gone {MARKUP}",), (f"old {MARKUP}",), (HOSTILE,)],
        "vitrine image history": [(NAME,), (f"gone {MARKUP}",), (HOSTILE,)],
        "vitrine image withdraw": [(NAME, "--reason", HOSTILE), (HOSTILE, "--reason", "r")],
        "vitrine access image": [(NAME,), (HOSTILE,), (NAME, HOSTILE), (HOSTILE, "closed")],
        "vitrine access share": [(NAME,), (HOSTILE,), (NAME, "--region", HOSTILE)],
        "vitrine access unshare": [(NAME,), (HOSTILE,)],
        "vitrine access revoke": [(HOSTILE,), ("0123456789abcdef",)],
        **{f"vitrine access {name}": [()] for name in ("rotate-keys", "sync")},
        "vitrine image restore": [(f"gone {MARKUP}",), (HOSTILE,)],
        "vitrine photos sign": [(), ("--subject", HOSTILE)],
        "vitrine photos new-key": [(), ("--withdraw",)],
        **{f"vitrine access rights {name}": [(rows,), (HOSTILE,)] for name in ("use", "secret")},
        "vitrine collection init": [(museum,)],
        "vitrine collection check": [(rules,)],
        "vitrine collection ocr": [(rules,)],
        "vitrine collection harvest": [(rules,), (iiif,)],
        "vitrine collection harvests": [(iiif,), (iiif, "--json")],
        "vitrine collection update": [(rules,), (iiif,)],
        "vitrine collection schedule": [(), (iiif, "--every", "3"), (HOSTILE, "--never")],
        "vitrine collection redirects": [(iiif, old), (iiif, old, "--json"), (rules, rows)],
        "vitrine collection export-rules": [(rules, f"{files.parent}/rules.csv")],
        "vitrine collection import-rules": [(rows, rules)],
        "vitrine discovery check": [(HOSTILE,)],
        "vitrine discovery refresh": [()],
        "vitrine collection preview": [(rules,), (rules, HOSTILE)],
        "vitrine collection publish": [(rules,)],
        **{f"vitrine collection {name}": [()] for name in ("dump", "index")},
        **{
            f"vitrine {name}": [()]
            for name in ("access rights show", "object list", "redirects check")
        },
        "vitrine collection export": [(f"{files.parent}/out",), (f"{files.parent}/{HOSTILE}/x",)],
        "vitrine collection import": [(museum,), (HOSTILE,)],
        "vitrine collection rollback": [(HOSTILE, "--to", "2026"), ("c", "--to", HOSTILE)],
        "vitrine object put": [(objects,), (file,)],
        "vitrine object ocr": [(NAME,), (), ("--again", "--all"), (HOSTILE, "--again")],
        **{f"vitrine object {n}": [(NAME,), ("down",), (HOSTILE,)] for n in LOOKS},
        "vitrine access collection": [(NAME,), ("down",), (HOSTILE,)],
        **{f"vitrine {n} rename": [(HOSTILE, NAME), (NAME, HOSTILE)] for n in ("image", "object")},
        "vitrine image replace": [(HOSTILE, file)],
        "vitrine object withdraw": [(NAME, "--reason", HOSTILE), (HOSTILE, "--reason", "r")],
        "vitrine redirects add": [("x", NAME, "--note", HOSTILE), (HOSTILE, NAME)],
        "vitrine redirects remove": [(f"old {MARKUP}",), (HOSTILE,)],
        "vitrine redirects list": [(), ("--to", NAME)],
        "vitrine redirects import": [(rows,), (f"{rows}{HOSTILE}",)],
        "vitrine redirects export": [(page,), (f"{page}/{HOSTILE}",)],
        "vitrine failures list": [()],
        "vitrine failures show": [(f"failed {KEY}",), (HOSTILE,)],
        "vitrine failures redrive": [(f"failed {KEY}",), (HOSTILE,), ("--all", "--dry-run")],
        "vitrine failures discard": [(HOSTILE,), (f"failed {KEY}",)],
        "vitrine edge invalidate": [(NAME,), (f"none {MARKUP}",), (HOSTILE,)],
        "vitrine pyramid relayout": [(file, page), (HOSTILE, page)],
    }


def _invisible(text: str) -> set[str]:
    return {sign for sign in text if not (sign.isprintable() or sign in f"\n{JOINERS}")}


def _commands() -> set[str]:
    found = read_commands().items()
    return {" ".join(words) for words, item in found if words[0] == "vitrine" and not item.names}


def test_the_walk_covers_every_command(files: Path) -> None:
    assert _commands() == set(calls(files)) | set(NOT_WALKED)


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(_commands() - set(NOT_WALKED)))
def test_no_command_prints_what_came_from_outside_as_it_is(
    run_program: Run, hostile: Deployment, files: Path, command: str
) -> None:
    printed = ""
    for arguments in calls(files)[command]:
        for form in ((), ("--json",)) if "--json" in _options(command) else ((),):
            result = run_program(*command.split()[1:], *form, *arguments)
            printed += result.stdout + result.stderr
            if form and result.stdout:
                json.loads(result.stdout)
    assert printed
    assert not _invisible(printed)
    assert "\nforged line" not in printed
    assert "😄" not in printed
    if "link=" in printed:
        assert "[red]" in printed


def _options(command: str) -> frozenset[str]:
    return read_commands()[tuple(command.split())].options


@pytest.mark.parametrize("option", ["--report", "--html"])
def test_no_page_shows_what_came_from_outside_as_it_is(
    run_program: Run, hostile: Deployment, files: Path, option: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    start = ("masters", "migrate", str(files)) if option == "--report" else ("status",)
    run_program(*start, option, str(page))
    text = page.read_text("utf-8")
    assert "\\x1b[2J" in text
    assert not _invisible(text)
    assert "<script>alert" not in text


def test_only_one_module_prints() -> None:
    found = []
    for path in sorted(CLI.rglob("*.py")):
        if path.name == "printing.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "print",
                "typer.echo",
                "typer.secho",
                "sys.stdout.write",
                "sys.stderr.write",
            ):
                found.append(f"{path.relative_to(CLI)}:{node.lineno}")
    assert not found
