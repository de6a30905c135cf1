"""`vitrine ingest` as a stranger meets it."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from select import select
from subprocess import PIPE
from typing import Any

import pytest

from tests import patience
from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.upload.display import Bars
from vitrine.errors import ObjectMissing

Run = Callable[..., Any]


def test_a_published_image_is_named_with_its_address(run: Run, picture: Path) -> None:
    result = run("ingest", picture)
    assert result.exit_code == 0
    assert "published as nacht wache in " in result.output
    assert "http://edge/iiif/3/nacht%20wache/info.json" in result.output


def test_a_replacement_says_that_viewers_may_see_the_previous_picture(
    run: Run, picture: Path
) -> None:
    assert "replaces" not in run("ingest", picture).output
    assert "note: It replaces a published image" in run("ingest", picture).output


def test_a_given_identifier_is_used(run: Run, picture: Path) -> None:
    result = run("ingest", picture, "--identifier", "SK-C-5")
    assert "http://edge/iiif/3/SK-C-5/info.json" in result.output


def test_a_master_of_a_collection_lies_below_its_identifier(
    run: Run, picture: Path, service: Deployment
) -> None:
    result = run("ingest", picture, "--collection", "a/b")
    assert result.exit_code == 0, result.output
    assert service.masters.head("a%2Fb/nacht wache.tif")
    record = service.identifiers.get("nacht wache")
    assert record is not None
    assert record.owner == "a/b"
    # The same name without a collection is nobody's, and another collection's is refused.
    for options in ((), ("--collection", "maps")):
        refused = run("ingest", picture, *options)
        assert (refused.exit_code, '"a/b"' in refused.output) == (1, True), refused.output
        assert service.identifiers.get("nacht wache") == record
    assert run("ingest", picture, "--collection", " ").exit_code == 2


def test_a_rejection_says_why_and_fails(run: Run, picture: Path, letter: Path) -> None:
    result = run("ingest", picture, letter)
    assert result.exit_code == 1
    assert "letter.tif: rejected" in result.output
    assert "The file is not an image" in result.output
    assert "code not-an-image; found: Dear colleague" in result.output
    assert "published as nacht wache" in result.output


def test_json_is_one_document(read_json: Run, picture: Path, letter: Path) -> None:
    published, rejected = read_json("ingest", picture, letter)
    assert list(published) == [
        "file",
        "identifier",
        "state",
        "info_url",
        "seconds",
        "code",
        "sentence",
        "value",
        "notes",
    ]
    assert published["state"] == "published"
    assert rejected["state"] == "rejected"
    assert rejected["code"] == "not-an-image"


def test_notes_are_shown(run: Run, read_json: Run, selection: Path) -> None:
    said = "Channels that are neither colours nor transparency"
    assert f"  note: {said}" in run("ingest", selection).output
    assert f"  note: {said}" in run("status", "selection").output
    assert read_json("ingest", selection)[0]["notes"][0].startswith(said)
    assert read_json("status", "selection")["outcome"]["notes"][0].startswith(said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.tif",), "nowhere.tif is not a file"),
        (("{picture.parent}",), "is a folder: ingest all of it with `vitrine masters migrate"),
        (("{picture}", "{letter}", "--identifier", "a"), "give one FILE"),
        (("{picture}", "--identifier", ""), "--identifier is empty"),
        (("{picture}", "{picture}"), "Two files are called"),
    ],
)
def test_wrong_usage_uploads_nothing(
    run: Run,
    service: Deployment,
    picture: Path,
    letter: Path,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    result = run("ingest", *(text.format(picture=picture, letter=letter) for text in arguments))
    assert result.exit_code == 2
    assert said in result.output
    assert service.outcomes.by_state("published", 1) == []


def test_an_outcome_that_never_comes_ends_in_time(
    run: Run, service: Deployment, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle = replace(service, masters=MemoryObjectStore())
    monkeypatch.setattr("vitrine.cli.console.environment.deployment", lambda environment: idle)
    result = run("ingest", picture, "--timeout", "1")
    assert result.exit_code == 1
    assert "It did not end in time" in result.output


_PROGRAM = """
import sys, time
from pathlib import Path
from tests.unit.cli.memory_service import memory_service
from vitrine import cli
from vitrine.cli.console import environment

service = memory_service()
upload = service.masters.upload

def upload_once_released(path, key, **options):
    while key == "late.tif" and not Path(sys.argv[-1]).with_name("released").exists():
        time.sleep(0.02)
    return upload(path, key, **options)

service.masters.upload = upload_once_released
environment.deployment = lambda name: service
sys.argv[:1] = ["vitrine", "ingest"]
cli.main()
"""


@pytest.fixture
def half_done(picture: Path) -> Iterator[subprocess.Popen[str]]:
    """`vitrine ingest` on a pipe, whose second master is not uploaded before `released` exists."""
    late = picture.with_name("late.tif")
    late.write_bytes(picture.read_bytes())
    command = [sys.executable, "-c", _PROGRAM, str(picture), str(late)]
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, bufsize=1) as process:
        try:
            yield process
        finally:
            process.kill()


def _first_line(process: "subprocess.Popen[str]") -> str:
    """Return the first line of its output, or nothing after a long time without one."""
    assert process.stdout
    return process.stdout.readline() if select([process.stdout], [], [], 30)[0] else ""


@pytest.mark.slow
def test_each_result_is_printed_when_it_is_known(
    half_done: "subprocess.Popen[str]", picture: Path
) -> None:
    assert "published as nacht wache" in _first_line(half_done)
    picture.with_name("released").touch()
    assert "published as late" in half_done.communicate()[0]
    assert half_done.returncode == 0


@pytest.mark.slow
def test_ctrl_c_ends_at_once_and_says_what_goes_on(half_done: "subprocess.Popen[str]") -> None:
    assert "published as nacht wache" in _first_line(half_done)
    half_done.send_signal(signal.SIGINT)
    _, errors = half_done.communicate(timeout=patience.SECONDS)
    assert half_done.returncode == 130
    assert "Interrupted: 1 published so far." in errors
    assert "see `vitrine status`. 1 were not uploaded." in errors


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_the_clock_goes_on_after_the_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, seconds = _Terminal(), [0.0]
    monkeypatch.setattr("sys.stderr", terminal)
    with Bars(quiet=False, clock=lambda: seconds[0]) as bars:
        bar = bars.begin("a.tif", 1)
        bar.show_bytes(1)
        bar.show_stage("converting")
        seconds[0] = 73
    assert "converting 73 s" in terminal.getvalue()


def test_a_file_name_is_no_markup_for_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with Bars(quiet=False) as bars:
        bars.begin("[red]x\x1b]0;owned\x07 :smile:", 1)
    assert "[red]x\\x1b]0;owned\\x07 :smile:" in terminal.getvalue()


def test_a_name_from_a_mac_is_uploaded_composed(
    run: Run, picture: Path, service: Deployment
) -> None:
    renamed = picture.rename(picture.with_name("A\u030angstro\u0308m.tif"))
    assert run("ingest", renamed).exit_code == 0
    assert service.masters.head("\u00c5ngstr\u00f6m.tif").size == renamed.stat().st_size


def test_an_impossible_identifier_is_refused_before_anything_is_uploaded(
    run: Run, picture: Path, service: Deployment
) -> None:
    result = run("ingest", picture, "--identifier", "a\nb")
    assert result.exit_code == 2
    assert "cannot be an identifier" in result.output
    with pytest.raises(ObjectMissing):
        service.masters.head(picture.name)
