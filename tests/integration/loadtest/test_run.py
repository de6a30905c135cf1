"""Locust asks for what the generator says, also from two workers, and notices what is wrong."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from loadtest.fleet import locust_command
from loadtest.fleet.locust_command import LoadTest, run_load_test
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.scenario import read_scenario
from tests.integration.loadtest.answering_server import StartServer
from tests.patience import SECONDS, until
from vitrine.errors import TransientError

IMAGES = [Image("small", 3000, 2000), Image("medium", 7300, 4100), Image("large", 12_000, 9_000)]
SESSIONS = """
seed = 5
connections = 1
[model]
kind = "viewer-session"
think_seconds = 0.02
"""
CACHE = '[model]\nkind = "cache-percent"\nrequests = 300\n'
LATE_REPORTS = Path(__file__).with_name("late_reports.py")
TEXT = 'connections = 1\n[model]\nkind = "report-matrix"\nweights = "text"\n'


def scenario(folder: Path, text: str) -> Path:
    path = folder / "scenario.toml"
    path.write_text(text)
    return path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from loadtest.cli import main; main()"] + [
        str(argument) for argument in arguments
    ]


@pytest.mark.parametrize("processes", [1, 2])
def test_each_user_asks_for_its_own_requests(
    tmp_path: Path, start_server: StartServer, processes: int
) -> None:
    server = start_server(IMAGES)
    path = scenario(tmp_path, SESSIONS)
    test = LoadTest(
        scenario=path,
        url=server.url,
        images=IMAGES,
        users=(2, 5),
        seconds=1,
        processes=processes,
    )
    result = run_load_test(test)
    assert (result["complete"], result["failures"]) == (True, 0)
    assert list(result["stages"]) == ["2 users", "5 users"]
    # Of each kind of picture each process decodes the first.
    assert processes <= result["decoded"] < result["requests"]
    workload = read_scenario(path).workload(Catalogue.of(IMAGES))
    expected = [[r.path for r in islice(workload.requests(user, 5), 9_999)] for user in range(5)]
    left = set(range(5))
    # The longest first: one that was cut off early may begin as several users' do.
    for sent in sorted(server.sequences, key=len, reverse=True):
        left.remove(next(n for n in left if expected[n][: len(sent)] == sent))
    assert left == set()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_list_is_asked_for_once_and_ends_the_run(
    tmp_path: Path, start_server: StartServer, processes: int
) -> None:
    server = start_server(IMAGES)
    path = scenario(tmp_path, CACHE)
    test = LoadTest(scenario=path, url=server.url, images=IMAGES, users=(3,), processes=processes)
    result = run_load_test(test)
    assert (result["complete"], result["requests"], result["failures"]) == (True, 300, 0)
    workload = read_scenario(path).workload(Catalogue.of(IMAGES))
    expected = [r.path for user in range(3) for r in workload.requests(user, 3)]
    expected += [target.path for target in workload.warm]
    assert Counter(path for paths in server.sequences for path in paths) == Counter(expected)


@pytest.mark.parametrize("case", ["slow", "lost", "quits"])
def test_what_a_worker_counted_last_is_waited_for_and_missed_if_it_does_not_come(
    tmp_path: Path, start_server: StartServer, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.setattr(locust_command, "LOCUSTFILE", str(LATE_REPORTS))
    monkeypatch.setenv("LATE_REPORTS", case)
    server = start_server(IMAGES)
    path = scenario(tmp_path, CACHE)
    test = LoadTest(scenario=path, url=server.url, images=IMAGES, users=(3,), processes=2)
    result = run_load_test(test)
    assert result["complete"] is (case == "slow")
    assert result["requests"] == 300 or case != "slow"
    warm = read_scenario(path).workload(Catalogue.of(IMAGES)).warm
    sent = sum(map(len, server.sequences))
    assert sent == 300 + len(warm), "nobody begins again while the others wait"


def test_every_kind_of_wrong_answer_fails_and_keeps_its_address(
    tmp_path: Path, start_server: StartServer
) -> None:
    message = {
        "missing": "status 500: out of order",
        "page": "content type text/html, not image/jpeg",
        "larger": "pixels",
        "cut": "truncated: the JPEG has no end",
        "short": "truncated: ",
        # Found in the share of answers that is decoded: the first of each kind is.
        "hollow": "cannot be decoded",
    }
    images = [Image(name, 3000, 2000) for name in (*message, "good")]
    server = start_server(images)
    test = LoadTest(
        scenario=scenario(tmp_path, TEXT), url=server.url, images=images, users=(6,), seconds=2
    )
    result = run_load_test(test)
    errors = [entry["error"] for entry in result["failed"]]
    for name, sentence in message.items():
        of_image = [error for error in errors if f"/iiif/3/{name}/" in error]
        assert of_image, name
        assert not [error for error in of_image if sentence not in error]
    assert not [error for error in errors if "/iiif/3/good/" in error]
    assert 0 < result["failures"] < result["requests"]


def test_results_are_printed_and_written_and_failures_end_with_1(
    tmp_path: Path, start_server: StartServer
) -> None:
    server = start_server(IMAGES[:1])
    listed = tmp_path / "images.txt"
    listed.write_text(f"{server.url}/iiif/3/small/info.json\n")
    text = SESSIONS + "zoom_in = 0\nzoom_out = 0\npan = 0\n"
    arguments = ["run", scenario(tmp_path, text), "--url", server.url, "--images", listed]
    arguments += ["--users", 2, "--seconds", 1, "--csv", tmp_path / "out/run", "--json"]
    done = subprocess.run(command(*arguments), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert {row["kind"] for row in result["rows"]} == {"info", "tile"}
    with (tmp_path / "out/run_rows.csv").open() as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    assert [int(row["requests"]) for row in rows] == [row["requests"] for row in result["rows"]]
    assert (tmp_path / "out/run_stats.csv").exists()
    (tmp_path / "images.csv").write_text("identifier,width,height\nnobody,900,900\n")
    arguments[5] = tmp_path / "images.csv"
    done = subprocess.run(command(*arguments), capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "/iiif/3/nobody/" in json.loads(done.stdout)["failed"][0]["error"]


def test_an_interrupted_run_keeps_what_it_has_and_says_so(
    tmp_path: Path, start_server: StartServer
) -> None:
    server = start_server(IMAGES)
    (tmp_path / "images.csv").write_text("identifier,width,height\nsmall,3000,2000\n")
    arguments = ["run", scenario(tmp_path, SESSIONS), "--url", server.url, "--users", 3]
    arguments += ["--images", tmp_path / "images.csv", "--seconds", 600, "--json"]
    process = subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # As in a terminal, where the bar names the stage that has begun.
        env=os.environ | {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "100"},
    )
    assert isinstance(process.stderr, io.BufferedReader)
    shown = b""
    while b"3 users" not in shown:
        shown += (part := process.stderr.read1())
        assert part, shown
    before = sum(map(len, server.sequences))
    until(lambda: sum(map(len, server.sequences)) > before + 10)
    os.kill(process.pid, signal.SIGINT)
    output, _ = process.communicate(timeout=SECONDS)
    result = json.loads(output)
    assert process.returncode == 1
    assert result["complete"] is False
    assert result["rows"]


def test_nobody_there_is_said_before_anything_is_started(tmp_path: Path) -> None:
    test = LoadTest(scenario=scenario(tmp_path, SESSIONS), url="http://127.0.0.1:1", images=IMAGES)
    with pytest.raises(TransientError, match=r"127\.0\.0\.1:1 does not answer"):
        run_load_test(test)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--images", "nowhere.csv"], "nowhere.csv cannot be read"),
        (["--images", "scenario.toml"], "is no address of an info.json"),
        (["--images", "http://127.0.0.1:1/a/info.json"], "does not answer"),
        (["--images", "images.csv", "--users", "a"], "give numbers"),
        (["--images", "images.csv", "--users", "0"], "above 0"),
        (["--images", "images.csv", "--url", "ftp://x"], "no address of a server"),
        (["--images", "empty.csv"], "catalogue is empty"),
    ],
)
def test_what_cannot_be_run_ends_with_2_and_a_sentence(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    path = scenario(tmp_path, SESSIONS)
    (tmp_path / "images.csv").write_text("identifier,width,height\na,900,900\n")
    (tmp_path / "empty.csv").write_text("identifier,width,height\n")
    done = subprocess.run(
        [*command("run", path, "--url", "http://127.0.0.1:1"), *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
