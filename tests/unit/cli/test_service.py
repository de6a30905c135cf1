"""`vitrine up`, as far as it needs no service."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli import service as commands
from vitrine.cli.service import holds_nothing, upload_new
from vitrine.local.progress import Progress

Run = Callable[..., Any]


def test_the_sample_is_for_a_service_that_never_had_an_image(
    run: Run, service: Deployment, picture: Path
) -> None:
    assert holds_nothing(service)
    run("ingest", picture)
    assert not holds_nothing(service)
    run("image", "withdraw", "nacht wache", "--reason", "A wish of the estate.")
    assert service.identifiers.newest(1) == []
    assert not holds_nothing(service)


def test_a_sample_that_was_interrupted_is_finished_by_the_next_start(
    run: Run,
    service: Deployment,
    picture: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uploads: list[Path] = []
    ingest = commands.ingest

    def interrupted(files: list[Path], **options: Any) -> None:
        uploads.extend(files)
        ingest(files, **options)
        if len(uploads) == 1:
            raise KeyboardInterrupt

    def no_photographs() -> Path:
        raise RuntimeError("no network")

    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path))
    monkeypatch.setattr(commands, "deployment", lambda environment: service)
    monkeypatch.setattr(commands, "gather_wallpapers", no_photographs)
    monkeypatch.setattr(commands, "draw_test_picture", lambda: picture)
    monkeypatch.setattr(commands, "ingest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        upload_new([], Progress())
    assert not holds_nothing(service)
    upload_new([], Progress())
    assert uploads == [picture, picture]
    upload_new([], Progress())
    assert len(uploads) == 2, "the sample is finished"
