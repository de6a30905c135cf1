"""Ctrl-C, and a server that dies: what was measured until then is kept."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from loadtest.cli import study_run as bench_study
from loadtest.corpora import museum_masters as masters
from loadtest.studies.museum.museum_report import REPORT
from loadtest.studies.museum.museum_study import MuseumStudy, compare_servers
from tests.integration.loadtest.studies.studies_servers import Handler, Quiet, vitrine
from tests.unit.loadtest.shown_report import page_of

PROGRAM = Path(sys.executable).parent / "vitrine-loadtest"


def test_ctrl_c_keeps_what_the_tuning_of_workers_has(tmp_path: Path) -> None:
    program = (
        "from loadtest.corpora import museum_masters as masters;"
        "masters.SIZES = {'small.tif': (2_900, 2_100)};"
        "from loadtest.cli import main; main()"
    )
    words = ["study", "workers", "--servers", "iipsrv", "--processes", "1", "--clients", "2"]
    words += ["--seconds", "0.5", "--rounds", "50", "--scratch", str(tmp_path)]
    words += ["--results", str(tmp_path / "results")]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        for line in process.stderr:
            if b"round 1 of 50 is done" in line:
                break
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    assert process.returncode == 1, output
    assert b"interrupted" in output
    [path] = (tmp_path / "results").glob("*/run.json")
    figures = json.loads(path.read_text())["figures"]
    assert figures["complete"] is False
    assert figures["rounds"]
    assert '<p class="bad">The run was interrupted' in path.with_name("index.html").read_text()


def test_ctrl_c_keeps_what_the_share_from_a_cache_has(tmp_path: Path, images: Path) -> None:
    server = _Slow(("127.0.0.1", 0), _SlowHandler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    words = [
        "study",
        "cache-percent",
        url,
        *("--clients", "1"),
        "--images",
        str(images),
        "--skip-warm",
    ]
    words += ["--results", str(tmp_path / "results")]
    with subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE) as process:
        while not server.asked.wait(0.1):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    server.shutdown()
    thread.join()
    server.server_close()
    assert process.returncode == 1
    assert b"interrupted: these are partial results" in output
    [path] = (tmp_path / "results").glob("*/run.json")
    assert json.loads(path.read_text())["figures"]["complete"] is False


class _Slow(Quiet):
    """Tells when it was asked a few times."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.asked = threading.Event()
        self.count = 0


class _SlowHandler(Handler):
    protocol_version = "HTTP/1.1"
    server: _Slow

    def do_GET(self) -> None:
        self.server.count += 1
        if self.server.count > 5:
            self.server.asked.set()
            time.sleep(0.2)
        super().do_GET()


def test_a_server_that_dies_leaves_what_was_measured_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masters, "SIZES", {"small.tif": (1_200, 900)})
    rounds: list[str] = []

    def watch(name: str) -> Any:
        rounds.append(name)
        if "round 2" in name:
            for pid in children_named("nginx"):
                os.kill(pid, signal.SIGKILL)
        return lambda requests, failures: None

    study = MuseumStudy(
        servers=["iipsrv"], connections=(2,), seconds=0.5, rounds=3, cpu_seconds=0, scratch=tmp_path
    )
    figures = compare_servers(study, lambda line: None, watch)
    assert figures["complete"] is False
    assert "nginx" in figures["stopped_by"]
    assert [row["round"] for row in figures["rounds"]] == [1]
    page = page_of(REPORT, figures)
    assert '<p class="bad">The run was interrupted: these are partial results. ' in page


def children_named(name: str) -> list[int]:
    """Processes of that name that this one started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            _, _, rest = (folder / "stat").read_text().rpartition(") ")
            if int(rest.split()[1]) == os.getpid() and (folder / "comm").read_text() == f"{name}\n":
                found.append(int(folder.name))
    return found


def test_ctrl_c_before_anything_was_measured_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masters, "SIZES", {"small.tif": (1_200, 900)})

    @contextmanager
    def bar() -> Iterator[Any]:
        yield interrupt

    def interrupt(name: str) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(bench_study, "rounds_bar", bar)
    words = ["--servers", "iipsrv", "--scratch", tmp_path, "--results", tmp_path / "results"]
    for more in (["museum"], ["workers", "--processes", "1"]):
        done = vitrine("study", *more, *words)
        assert done.exit_code == 2, done.output
        assert "It was interrupted before anything was measured" in done.stderr
    assert not (tmp_path / "results").exists()
