"""The same seed gives the same requests, byte for byte, under Locust and in a study."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from loadtest.cli import build_app
from loadtest.client.user_load import send_as_users
from loadtest.fleet.locust_command import LoadTest, run_load_test
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.scenario import read_scenario
from tests.integration.loadtest.answering_server import AnsweringServer, StartServer
from tests.integration.loadtest.first_visits import first_visits
from tests.patience import SECONDS

IMAGES = [Image("small", 3000, 2000), Image("medium", 7300, 4100), Image("large", 12_000, 9_000)]
CACHE = 'seed = {seed}\n[model]\nkind = "cache-percent"\nrequests = 120\ncache_percent = 80\n'
MATRIX = 'seed = 11\n[model]\nkind = "report-matrix"\nthink_seconds = [0.0, 0.01]\n'
USERS, REQUESTS = 3, 40
"""Number of users, and of requests of each."""


def sent_paths(server: AnsweringServer) -> bytes:
    """All image requests in the order in which they came."""
    paths = [path for of_one in server.asked for path in of_one if "/iiif/" in path]
    server.asked.clear()
    return "\n".join(paths).encode()


def scenario(folder: Path, text: str) -> Path:
    path = folder / "scenario.toml"
    path.write_text(text)
    return path


def under_locust(folder: Path, server: AnsweringServer, seed: int) -> bytes:
    path = scenario(folder, CACHE.format(seed=seed))
    test = LoadTest(scenario=path, url=server.url, images=IMAGES, users=(1,))
    assert run_load_test(test)["complete"]
    return sent_paths(server)


def in_bench(folder: Path, server: AnsweringServer, seed: int) -> bytes:
    images = folder / "images.csv"
    lines = [f"{image.identifier},{image.width},{image.height}" for image in IMAGES]
    images.write_text("\n".join(["identifier,width,height", *lines]) + "\n")
    words = [
        "study",
        "cache-percent",
        server.url,
        "--requests",
        "120",
        "--cache-percent",
        "80",
        "--clients",
        "1",
        "--seed",
        str(seed),
    ]
    words += ["--images", str(images), "--results", str(folder)]
    done = CliRunner().invoke(build_app(), words)
    assert done.exit_code == 0, done.output
    return sent_paths(server)


def test_a_list_is_byte_equal_under_locust_and_in_bench(
    tmp_path: Path, start_server: StartServer
) -> None:
    server = start_server(IMAGES)
    here = in_bench(tmp_path, server, 7)
    assert len(here.splitlines()) > 120
    assert under_locust(tmp_path, server, 7) == here
    assert in_bench(tmp_path, server, 7) == here
    assert in_bench(tmp_path, server, 8) != here


def run_until_enough(test: LoadTest, server: AnsweringServer) -> None:
    """Press Ctrl-C, once, when each user has sent enough."""
    is_enough = False

    def look(entry: dict[str, Any]) -> None:
        nonlocal is_enough
        sent = [len(paths) for paths in server.sequences]
        if not is_enough and len(sent) == USERS and min(sent) >= REQUESTS:
            is_enough = True
            raise KeyboardInterrupt

    run_load_test(test, look)


def test_each_users_requests_are_byte_equal_as_far_as_both_come(
    tmp_path: Path, start_server: StartServer
) -> None:
    server = start_server(IMAGES)
    path = scenario(tmp_path, MATRIX)
    test = LoadTest(scenario=path, url=server.url, images=IMAGES, users=(USERS,), seconds=SECONDS)
    run_until_enough(test, server)
    locust = sorted(paths[:REQUESTS] for paths in server.sequences)
    server.asked.clear()
    workload = read_scenario(path).workload(Catalogue.of(IMAGES))
    send_as_users(server.url, first_visits(workload, REQUESTS), USERS)
    assert locust == sorted(server.sequences)
    assert [len(paths) for paths in locust] == [REQUESTS] * USERS


def test_a_fresh_python_asks_for_the_same(tmp_path: Path) -> None:
    """As on another machine: nothing hangs on what this process did before."""
    path = scenario(tmp_path, MATRIX)
    images = tmp_path / "images.csv"
    images.write_text("identifier,width,height\na,3000,2000\nb,12000,9000\n")
    words = ["show", str(path), "--images", str(images), "--count", "200"]
    here = CliRunner().invoke(build_app(), words)
    program = "from loadtest.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, check=True)
    assert done.stdout == here.stdout.encode()
    assert len(done.stdout.splitlines()) == 200
