"""`vitrine up`, as far as it needs no service."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vitrine.bootstrap.deployment import Deployment
from vitrine.bootstrap.local_service import LocalService
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


@pytest.mark.parametrize(
    ("flavour", "doors", "options", "advice"),
    [
        ("", (), ("--access",), "`make up ACCESS=yes`"),
        ("", ("photos",), ("--access",), "`make up PHOTOS=yes ACCESS=yes`"),
        ("", ("access",), ("--access", "--photos"), "`make up ACCESS=yes PHOTOS=yes`"),
        ("", ("access", "ocr=eng"), ("--ocr", "deu+frk"), "`make up ACCESS=yes OCR=deu+frk`"),
        ("", ("access", "ocr=eng"), ("--ocr", "eng", "--access"), ""),
        ("", ("photos", "access"), (), ""),
        ("", ("photos",), ("--flavour", "museum"), "`make up PHOTOS=yes FLAVOUR=museum`"),
        ("museum", (), ("--flavour", "serverless"), "`make up FLAVOUR=serverless`"),
        ("museum", (), ("--access",), "`make up FLAVOUR=museum ACCESS=yes`"),
        ("museum", (), ("--flavour", "museum"), ""),
        ("museum", (), (), ""),
    ],
)
def test_a_running_service_that_lacks_an_option_is_no_success(
    run: Run,
    service: Deployment,
    picture: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    flavour: str,
    doors: tuple[str, ...],
    options: tuple[str, ...],
    advice: str,
) -> None:
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path))
    LocalService(
        stage="dev",
        region="us-east-1",
        edge_url="http://127.0.0.1:8080",
        origin_url="http://127.0.0.1:8081",
        emulator_url="http://127.0.0.1:4566",
        logs="logs",
        doors=doors,
        flavour=flavour,
    ).save()
    uploaded: list[Path] = []
    monkeypatch.setattr(commands, "start_service", lambda *_: (LocalService.load(), False))
    monkeypatch.setattr(commands, "deployment", lambda environment: service)
    monkeypatch.setattr(commands, "upload_new", lambda files, _: uploaded.extend(files))
    monkeypatch.setattr(commands, "_print_addresses", lambda _: None)
    done = run("up", "--masters", picture, *options)
    assert "running already" in done.stderr
    assert done.exit_code == (1 if advice else 0)
    assert advice in done.stderr
    # They may be for nobody's eyes, or without a text.
    assert uploaded == ([] if advice else [picture])


def test_a_start_without_services_of_access_says_so_where_a_table_waits_for_them(
    run: Run, service: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = LocalService(
        stage="dev", region="r", edge_url="http://e", origin_url="o", emulator_url="m", logs="l"
    )
    monkeypatch.setattr(commands, "start_service", lambda *_: (started, True))
    monkeypatch.setattr(commands, "deployment", lambda environment: service)
    monkeypatch.setattr(commands, "upload_new", lambda *_: None)
    monkeypatch.setattr(commands, "_print_addresses", lambda _: None)
    monkeypatch.setenv("VITRINE_LOCAL_DIRECTORY", str(tmp_path))
    assert "ACCESS=yes" not in run("up").stderr
    table = tmp_path / "access.toml"
    table.write_text('[rights.staff]\nterms = { en = "Yes?" }\nlabel = { en = "Read this" }\n')
    assert run("access", "rights", "use", table).exit_code == 0
    assert "ACCESS=yes" not in run("up").stderr
    monkeypatch.setattr("vitrine.cli.access.rights.has_access_services", lambda environment: False)
    done = run("up")
    assert done.exit_code == 0
    assert "`make up ACCESS=yes`" in done.stderr
