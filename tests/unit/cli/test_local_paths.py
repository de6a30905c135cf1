"""Whatever a curator does on a machine: no bucket, no table and no event has a path of it."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import pyvips
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.cli.conftest import Ended, Run
from tests.unit.cli.memory_service import memory_migration
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.bootstrap.deployment import Deployment

MARK = "Ödland 100% & Söhne"
"""Part of a path that nothing else has."""
RULES = """
# {folder}
[collection]
identifier = "{name}"
label = "{name}"
[source]
table = "{folder}/table.csv"
masters = "{folder}/scans"
texts = "{folder}/texts"
annotations = "{folder}/notes"
[object]
identifier = "{{number}}"
label = "{{title}}"
image = "{{file}}"
text = "{{file}}.txt"
annotations = "{{file}}.json"
"""
HARVESTED = """
# {folder}
[collection]
identifier = "books"
label = "Books"
[source]
kind = "iiif"
address = "https://library.example/top"
table = "{folder}/manifests"
images = "reference"
"""


class Curator:
    """Somebody with a folder of a name like no other, and all commands that send something."""

    def __init__(self, run: Callable[..., Any], service: Deployment, folder: Path) -> None:
        self.run, self.service, self.folder = run, service, folder
        for inner in ("scans", "texts", "notes", "loose", "more"):
            (folder / inner).mkdir(parents=True)
        for path in ("scans/001.png", "loose/loose.png", "more/002.png"):
            pyvips.Image.black(40, 30).pngsave(os.fspath(folder / path))
        (folder / "scans/broken.png").write_text("no picture")
        (folder / "texts/001.png.txt").write_text("A letter")
        note = {"type": "Annotation", "body": "A note", "target": "001"}
        (folder / "notes/001.png.json").write_text(json.dumps(note))
        rows = "1847-1,One,001.png\n1847-2,Two,broken.png\n1847-3,Three,lost.png\n"
        (folder / "table.csv").write_text(f"number,title,file\n{rows}")
        rules = {"prints": RULES.format(name="prints", folder=folder)}
        rules["books"] = HARVESTED.format(folder=folder)
        for name, text in rules.items():
            (folder / f"{name}.toml").write_text(text)
        (folder / "list.csv").write_text("old,new\nold-001,loose\n")
        (folder / "i.csv").write_text(f"source,identifier\n{folder}/loose/loose.png,listed\n")

    def take(self, step: str) -> Ended:
        """Run one of the commands."""
        folder = self.folder
        commands: dict[str, tuple[Any, ...]] = {
            "publish": ("collection", "publish", folder / "prints.toml"),
            "schedule": (
                *("collection", "schedule", folder / "books.toml"),
                *("--every", "24", "-e", "prod"),
            ),
            "ingest": ("ingest", folder / "loose/loose.png"),
            "ingest broken": ("ingest", folder / "scans/broken.png"),
            "ingest of a collection": (
                *("ingest", folder / "loose/loose.png"),
                *("--collection", "prints", "--identifier", "mine"),
            ),
            "migrate": ("masters", "migrate", folder / "loose", "--tolerate", "100%"),
            "migrate of a collection": (
                *("masters", "migrate", folder / "more", "--collection", "more"),
                *("--tolerate", "100%"),
            ),
            "migrate a list": ("masters", "migrate", folder / "i.csv"),
            "replace": ("image", "replace", "loose", folder / "scans/001.png"),
            "redirects": ("redirects", "import", folder / "list.csv", "--allow-dangling"),
            "export": ("collection", "export", folder / "out", "--pictures", "masters"),
            "import": ("collection", "import", folder / "out"),
        }
        ended: Ended = self.run(*commands[step])
        return ended

    def stored(self) -> Iterator[bytes]:
        """Yield keys, metadata and contents of all that is in buckets, tables and events."""
        masters: Any = self.service.masters
        stores: list[Any] = [masters, self.service.records, self.service.site]
        for store in stores:
            assert isinstance(store, MemoryObjectStore)
            for entry in store.list_keys(limit=10_000).entries:
                body, info = store.get(entry.key)
                yield repr((entry.key, dict(info.metadata))).encode() + body
        services = masters.services
        for table in (services.identifiers, services.outcomes):
            yield repr(vars(table)).encode()
        yield json.dumps(services.events.events, ensure_ascii=False, default=str).encode()


def _forms(text: str) -> Iterator[bytes]:
    """Yield a text as it may be stored."""
    yield text.encode()
    yield quote(text).encode()
    yield quote(text, safe="").encode()
    yield json.dumps(text)[1:-1].encode()


STEPS = (
    *("publish", "schedule", "ingest", "ingest broken", "ingest of a collection", "migrate"),
    *("migrate of a collection", "migrate a list", "replace", "redirects", "export", "import"),
)


@pytest.fixture
def start(
    run_program: Run, service: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], Curator]:
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path / "kept"))
    migration = memory_migration(service)
    monkeypatch.setattr("vitrine.cli.masters.migrate.migration_services", lambda _: migration)
    numbers = iter(range(1_000))
    return lambda: Curator(run_program, service, tmp_path / f"{MARK} {next(numbers)}")


def test_every_command_leaves_its_paths_at_home(start: Callable[[], Curator]) -> None:
    curator = start()
    ended = {step: curator.take(step) for step in STEPS}
    codes = {step: one.exit_code for step, one in ended.items()}
    assert [(step, one.stderr) for step, one in ended.items() if one.exit_code == 2] == []
    assert codes["ingest"] == codes["publish"] - 1 == 0
    _assert_clean(curator)


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=6))
def test_so_do_they_in_any_order(start: Callable[[], Curator], steps: list[str]) -> None:
    curator = start()
    for step in steps:
        curator.take(step)
    _assert_clean(curator)


def _assert_clean(curator: Curator) -> None:
    found = list(curator.stored())
    assert any(b"loose" in one or b"prints" in one or b"books" in one for one in found) or found
    for form in {*_forms(MARK), *_forms(str(curator.folder.parent))}:
        for one in found:
            assert form not in one, one[:500]
