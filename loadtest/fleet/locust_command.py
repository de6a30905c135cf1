"""Starts Locust for a scenario, follows it, and returns what it measured."""

import http.client
import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Catalogue, Image
from loadtest.workload.scenario import read_scenario
from loadtest.workload.sources import images_as_json
from rigs.free_port import free_port
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.errors import TransientError

LOCUSTFILE = "loadtest/locustfile.py"
_TIMEOUT_SECONDS = 30
_LAST_WORDS = 12
Progress = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, kw_only=True)
class LoadTest:
    """A load test: what to run, and where. Empty or 0: as the scenario says."""

    scenario: Path
    url: str
    """Scheme and host."""
    images: Sequence[Image] = ()
    users: tuple[int, ...] = ()
    seconds: float = 0.0
    seed: int | None = None
    processes: int = 1
    """Number of generators; each keeps a core busy."""
    csv: Path | None = None
    """Prefix of Locust's own CSV files."""


def run_load_test(test: LoadTest, progress: Progress | None = None) -> dict[str, Any]:
    """Run a load test to its end or until Ctrl-C; then `complete` is False in the result.

    Raises InvalidScenario for a test that cannot be run, TransientError when no server answers.
    """
    check_test(test)
    check_answers(test.url)
    with tempfile.TemporaryDirectory(prefix="vitrine-") as folder:
        images = Path(folder, "images.json")
        images.write_text(images_as_json(test.images))
        command = locust_command(test, images if test.images else None)
        result = run_locust(command + _shared_out(test), Path(folder), progress)
    return result | describe_reproduction(test) | {"processes": test.processes}


def describe_reproduction(test: LoadTest) -> dict[str, Any]:
    """Return what a saved result needs so that it can be reproduced."""
    return {
        "scenario": str(test.scenario),
        "scenario_toml": test.scenario.read_text(encoding="utf-8"),
        "images": [[image.identifier, image.width, image.height] for image in test.images],
        "versions": {"locust": version("locust")},
    }


def run_locust(command: list[str], folder: Path, progress: Progress | None) -> dict[str, Any]:
    """Return the result that Locust prints at its end; its log goes into the folder.

    Raises InvalidScenario with the end of the log if Locust prints no result."""
    with (folder / "locust.log").open("w+") as log:
        result = _follow_locust(command, log, progress)
        if result is None:
            log.seek(0)
            words = "".join(log.readlines()[-_LAST_WORDS:]).strip()
            raise InvalidScenario(f"the load test did not run:\n{words}")
    return result


def check_test(test: LoadTest) -> None:
    """Raise InvalidScenario for what Locust would only reject later, in its log."""
    scenario = read_scenario(test.scenario)
    if scenario.options.ends and len(test.users) > 1:
        raise InvalidScenario(f"{test.scenario} ends by itself: give one number of users")
    if scenario.options.needs_images and not scenario.images:
        scenario.workload(Catalogue.of(test.images))
    if not (REPOSITORY / LOCUSTFILE).exists():
        raise InvalidScenario(f"there is no {LOCUSTFILE}: load tests run from the repository")


def check_answers(url: str) -> None:
    """Raise TransientError or InvalidScenario unless the server gives any answer at all."""
    if not url.startswith(("http://", "https://")):
        raise InvalidScenario(f"{url!r} is no address of a server, such as https://example.org")
    try:
        urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS).close()
    except urllib.error.HTTPError as error:
        error.close()
    except http.client.InvalidURL as error:
        raise InvalidScenario(f"{url!r} is no address of a server: {error}") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLError):
            raise TransientError(f"{url} cannot be trusted: {reason}") from None
        raise TransientError(f"{url} does not answer: {reason}") from None


def locust_command(test: LoadTest, images: Path | None) -> list[str]:
    """Return the command that starts Locust; `images` is the file of the catalogue."""
    options: dict[str, object] = {
        "--host": test.url,
        "--scenario": test.scenario.resolve(),
        "--images": images or "",
        "--stages": ",".join(str(number) for number in test.users),
        "--stage-seconds": test.seconds or "",
        "--seed": "" if test.seed is None else test.seed,
        "--csv": test.csv.resolve() if test.csv else "",
    }
    command = [sys.executable, "-m", "locust", "-f", LOCUSTFILE]
    command += ["--headless", "--only-summary", "--report-json"]
    for name, value in options.items():
        if value != "":
            command += [name, str(value)]
    return command


def _shared_out(test: LoadTest) -> list[str]:
    """Over several processes of this machine."""
    if test.processes == 1:
        return []
    port = str(free_port())
    words = ["--processes", str(test.processes), "--master-port", port]
    return [*words, "--master-bind-port", port, "--master-bind-host", "127.0.0.1"]


def _follow_locust(
    command: list[str], log: IO[str], progress: Progress | None
) -> dict[str, Any] | None:
    """Locust's last line of JSON. Ctrl-C stops Locust, which then sums up what it has."""
    # Ctrl-C is passed on below, once, to the one that sums up.
    with subprocess.Popen(
        command,
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        start_new_session=True,
    ) as process:
        result = None
        assert process.stdout
        while True:
            try:
                for line in process.stdout:
                    entry = _parse_entry(line)
                    if entry.get("line") == "result":
                        result = entry
                    elif entry and progress:
                        progress(entry)
                return result
            except KeyboardInterrupt:
                os.kill(process.pid, signal.SIGINT)


def _parse_entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}
