"""The studies against real servers: right ones, and those that lie, refuse, hang up or die."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from loadtest.cli import build_app, study_run
from loadtest.client.user_load import Load, Progress, send_as_users, send_each
from loadtest.corpora import museum_masters as masters
from loadtest.fleet.image_lists import read_infos
from loadtest.studies.museum import museum_study, single_request_cpu
from loadtest.studies.museum.museum_classes import ANY
from loadtest.studies.museum.museum_report import REPORT
from loadtest.studies.museum.museum_study import MuseumStudy, compare_servers
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.request import Workload
from loadtest.workload.target import Target
from tests.integration.loadtest.answering_server import AnsweringServer, StartServer
from tests.integration.loadtest.first_visits import first_visits
from tests.patience import SECONDS
from tests.unit.loadtest.shown_report import page_of

PROGRAM = Path(sys.executable).parent / "vitrine-loadtest"
WIDTH, HEIGHT = 3_000, 2_000
REQUESTS = 20
"""Requests of each user."""


@pytest.fixture
def server(start_server: StartServer) -> AnsweringServer:
    names = ("a", "b", "hollow", "short", "larger", "open")
    return start_server([Image(name, WIDTH, HEIGHT) for name in names])


def table(folder: Path, *lines: str) -> Path:
    path = folder / "images.csv"
    path.write_text("\n".join(["identifier,width,height", *lines]) + "\n")
    return path


def vitrine(*words: object) -> Result:
    return CliRunner().invoke(build_app(), ["study", *map(str, words)])


def report(
    server: AnsweringServer, images: Path, results: Path, seconds: float = 0.6
) -> list[object]:
    words = ["museum", "--url", f"one={server.url}/iiif/3", "--images", images]
    words += ["--connections", 2, "--seconds", seconds, "--rounds", 1, "--results", results]
    return [*words, "--json"]


def saved(results: Path) -> dict[str, Any]:
    [path] = results.glob("*/run.json")
    figures: dict[str, Any] = json.loads(path.read_text())["figures"]
    return figures


def watch(name: str) -> Callable[[int, int], None]:
    return lambda requests, failures: None


def test_users_ask_for_just_what_the_generator_says(server: AnsweringServer) -> None:
    images = Catalogue.of(read_infos([f"{server.url}/iiif/3/{name}/info.json" for name in "ab"]))
    server.asked.clear()
    workload = Workload(ReportMatrix(think_seconds=(0, 0.01)).bind(images, 7), 7)
    load = send_as_users(server.url, first_visits(workload, REQUESTS), 3)
    assert not [answer.fault for answer in load.answers if answer.fault]
    expected = [
        [request.path for request in islice(workload.requests(user, 3), REQUESTS)]
        for user in range(3)
    ]
    assert sorted(filter(None, server.asked)) == sorted(expected)


@pytest.fixture
def counted_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rounds end with a fixed number of requests of each user instead of after some seconds."""

    def send_first(
        url: str, workload: Workload, users: int, *, seconds: float, progress: Progress
    ) -> Load:
        return send_as_users(url, first_visits(workload, REQUESTS), users, progress=progress)

    def send_few(
        url: str, targets: Iterator[Target], clients: int, progress: Progress, *, seconds: float
    ) -> Load:
        return send_each(url, islice(targets, 10), clients, progress)

    monkeypatch.setattr(museum_study, "send_as_users", send_first)
    monkeypatch.setattr(single_request_cpu, "send_each", send_few)


@pytest.mark.usefixtures("counted_rounds")
def test_our_servers_are_compared_in_turns_with_cpu_and_same_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(masters, "SIZES", {"small.tif": (1_200, 900)})
    study = MuseumStudy(
        servers=["ours", "iipsrv"],
        connections=(2,),
        rounds=2,
        scratch=tmp_path,
    )
    figures = compare_servers(study, lambda line: None, watch)
    assert figures["complete"]
    assert figures["same_requests"]
    assert [(row["server"], row["round"]) for row in figures["rounds"]] == [
        ("iipsrv", 1),
        ("ours", 1),
        ("ours", 2),
        ("iipsrv", 2),
    ]
    for entry in figures["medians"]:
        assert entry["rows"][ANY]["failures"] == 0
        assert entry["rows"][ANY]["requests"] == 2 * 2 * REQUESTS
        assert entry["cpu_ms_per_request"] > 0
        assert set(entry["rows"]) == {"0-10 tile", "0-10 128", "0-10 1024", "0-10 4096", ANY}
        assert all(row["requests"] for row in entry["rows"].values())
        assert set(entry["cpu_ms"]) == set(entry["rows"])
        assert entry["cpu_ms"]["0-10 4096"] > 0


def test_a_server_that_lies_about_dimensions_is_not_compared(
    server: AnsweringServer, tmp_path: Path
) -> None:
    done = vitrine(*report(server, table(tmp_path, "a,100,100"), tmp_path / "results"))
    assert done.exit_code == 2
    assert "says that a has 3000 x 2000 pixels, the table of images 100 x 100" in done.stderr
    assert not (tmp_path / "results").exists()


def test_a_picture_that_breaks_off_inside_is_found_in_the_share_that_is_decoded(
    server: AnsweringServer, tmp_path: Path
) -> None:
    images = table(tmp_path, f"hollow,{WIDTH},{HEIGHT}")
    done = vitrine(
        "cache-percent",
        server.url,
        *("--requests", 20, "--cache-percent", 100, "--clients", 1),
        *("--images", images, "--results", tmp_path),
    )
    assert done.exit_code == 1
    failed = saved(tmp_path)["failed"]
    assert failed
    assert all("cannot be decoded" in entry["fault"] for entry in failed)


@pytest.mark.parametrize(
    ("image", "fault"),
    [("short", "the connection was closed"), ("larger", "pixels"), ("open", "")],
)
def test_a_body_that_is_cut_off_or_of_another_size_fails(
    server: AnsweringServer, tmp_path: Path, image: str, fault: str
) -> None:
    images = table(tmp_path, f"{image},{WIDTH},{HEIGHT}")
    done = vitrine(
        "cache-percent",
        server.url,
        *("--requests", 20, "--cache-percent", 100, "--clients", 1),
        *("--images", images, "--results", tmp_path),
    )
    failed = saved(tmp_path)["failed"]
    assert (done.exit_code, bool(failed)) == ((1, True) if fault else (0, False)), failed
    assert all(fault in entry["fault"] for entry in failed)


def test_an_empty_catalogue_is_refused(server: AnsweringServer, tmp_path: Path) -> None:
    empty = table(tmp_path)
    assert vitrine(*report(server, empty, tmp_path)).exit_code == 2
    done = vitrine("cache-percent", server.url, "--images", empty, "--results", tmp_path)
    assert (done.exit_code, "catalogue is empty" in done.stderr) == (2, True)


def test_a_server_that_is_down_is_said_so(server: AnsweringServer, tmp_path: Path) -> None:
    server.stop()
    images = table(tmp_path, f"a,{WIDTH},{HEIGHT}")
    for words in (
        report(server, images, tmp_path),
        ["cache-percent", server.url, "--images", images, "--results", tmp_path],
    ):
        done = vitrine(*words)
        assert (done.exit_code, "does not answer" in done.stderr) == (2, True)


def test_after_ctrl_c_what_was_measured_is_kept_and_marked(
    server: AnsweringServer, tmp_path: Path
) -> None:
    words = report(server, table(tmp_path, f"a,{WIDTH},{HEIGHT}"), tmp_path / "results", SECONDS)
    command = [str(PROGRAM), "study", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while sum(map(len, server.asked)) < 40:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert process.returncode == 1
    figures = saved(tmp_path / "results")
    assert not figures["complete"]
    assert figures["rounds"][0]["rows"][ANY]["requests"] > 10
    page = next((tmp_path / "results").glob("*/index.html")).read_text()
    assert "interrupted" in page


def test_equal_parameters_ask_for_equal_things(server: AnsweringServer, tmp_path: Path) -> None:
    images = table(tmp_path, f"a,{WIDTH},{HEIGHT}", f"b,{WIDTH},{HEIGHT}")
    hashes, paths = [], []
    for number in range(2):
        server.asked.clear()
        results = tmp_path / str(number)
        words = [
            "cache-percent",
            server.url,
            "--requests",
            60,
            "--cache-percent",
            80,
            "--clients",
            2,
        ]
        words += ["--images", images, "--results", results]
        done = vitrine(*words)
        assert done.exit_code == 0, done.stderr
        hashes.append(saved(results)["requests_sha256"])
        paths.append(sorted(path for sent in server.asked for path in sent))
    assert hashes[0] == hashes[1]
    assert paths[0] == paths[1]


def test_cached_answers_are_distinguished_from_others(
    server: AnsweringServer, tmp_path: Path
) -> None:
    images = table(tmp_path, f"a,{WIDTH},{HEIGHT}")
    words = [
        "cache-percent",
        server.url,
        "--requests",
        50,
        "--cache-percent",
        80,
        "--clients",
        2,
        "--images",
        images,
        "--results",
        tmp_path / "r",
    ]
    done = vitrine(*words)
    figures = saved(tmp_path / "r")
    assert (figures["cached"]["requests"], figures["non_cached"]["requests"]) == (40, 10)
    assert "50 successful requests, 0 errors." in done.stdout
    assert "* 10 non-cached responses" in done.stdout


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

    monkeypatch.setattr(study_run, "rounds_bar", bar)
    words = ["--servers", "iipsrv", "--scratch", tmp_path, "--results", tmp_path / "results"]
    for more in (["museum"], ["workers", "--processes", "1"]):
        done = vitrine(*more, *words)
        assert done.exit_code == 2, done.output
        assert "It was interrupted before anything was measured" in done.stderr
    assert not (tmp_path / "results").exists()
