"""`vitrine ingest` as a stranger meets it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vitrine.adapters.memory.object_store import MemoryObjectStore
from vitrine.bootstrap.deployment import Deployment

Run = Callable[..., Any]


def test_a_published_image_is_named_with_its_address(run: Run, picture: Path) -> None:
    result = run("ingest", picture)
    assert result.exit_code == 0
    assert "published as nacht wache in " in result.output
    assert "http://edge/iiif/3/nacht%20wache/info.json" in result.output


def test_a_replacement_says_that_viewers_may_see_the_former_picture(
    run: Run, picture: Path
) -> None:
    assert "replaces" not in run("ingest", picture).output
    assert "note: It replaces a published image" in run("ingest", picture).output


def test_a_given_identifier_is_used(run: Run, picture: Path) -> None:
    result = run("ingest", picture, "--identifier", "SK-C-5")
    assert "http://edge/iiif/3/SK-C-5/info.json" in result.output


def test_a_rejection_says_why_and_fails(run: Run, picture: Path, letter: Path) -> None:
    result = run("ingest", picture, letter)
    assert result.exit_code == 1
    assert "letter.tif: rejected" in result.output
    assert "The file is not an image" in result.output
    assert "code not-an-image, seen: Dear colleague" in result.output
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
    monkeypatch.setattr("vitrine.cli.environment.deployment", lambda environment: idle)
    result = run("ingest", picture, "--timeout", "1")
    assert result.exit_code == 1
    assert "It did not end in time" in result.output
