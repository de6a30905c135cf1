"""The whole one-machine service, started once for all tests of a worker that ask for it."""

import gc
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import HealthCheck, settings
from xdist.remote import Producer

from rigs.free_port import free_ports
from tests import files_on_demand, nightly
from tests.forked_vitrine import SECONDS, run_vitrine
from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, LocalService

PROGRAMS = Path(__file__).parents[1] / ".venv/bin"
VITRINE = PROGRAMS / "vitrine"
START_SECONDS = 600
# Node.js of the virtual environment, whether it is activated or not.
os.environ["PATH"] = os.pathsep.join([str(PROGRAMS), os.environ["PATH"]])
# Tests run from trees that are not committed.
os.environ["VITRINE_ALLOW_DIRTY"] = "1"
# As each function's environment has it.
os.environ["POWERTOOLS_METRICS_NAMESPACE"] = "Vitrine/test"

# A busy machine is no failure: examples have no deadline, and may be slow to make. What fails there
# can be repeated elsewhere by what is printed.
settings.register_profile(
    "busy", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("busy")

# Shells start what runs in the background with SIGINT ignored; tests send it to their children.
signal.signal(signal.SIGINT, signal.default_int_handler)


# By itself Python looks for garbage after every seven hundred new objects, among all that is
# imported too: a tenth of a worker's time.
gc.freeze()
gc.set_threshold(20_000, 10, 10)


def pytest_addoption(parser: pytest.Parser) -> None:
    nightly.add_options(parser)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    ignored = nightly.is_ignored(collection_path, config)
    return ignored or nightly.is_slow(collection_path, config) or None


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--nightly") and config.args == config.getini("testpaths"):
        terminalreporter.section("waits for `make test-nightly`")
        terminalreporter.line(nightly.describe())


def pytest_configure(config: pytest.Config) -> None:
    files_on_demand.configure(config)


def pytest_configure_node(node: Any) -> None:
    files_on_demand.prepare_worker(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Any:
    return files_on_demand.make_scheduler(config, log)


@dataclass(frozen=True)
class Service:
    """A running one-machine service of the tests' own: own folder, own ports."""

    addresses: LocalService
    environment: dict[str, str]

    def run(
        self, *arguments: str | Path, seconds: float = SECONDS, program: str = "vitrine"
    ) -> subprocess.CompletedProcess[str]:
        """Run one of our programs with these arguments against this service."""
        if program == "vitrine":
            return run_vitrine(arguments, self.environment, seconds)
        return subprocess.run(
            [PROGRAMS / program, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
        )


def _start(environment: dict[str, str], first: Path, extra: Sequence[str]) -> None:
    """Run `vitrine up` on free ports. Ctrl-C at the shell does not reach it: `down` comes after."""
    options = zip(("--edge-port", "--origin-port", "--emulator-port"), free_ports(3), strict=True)
    command = [str(VITRINE), "up", *extra, *(str(item) for option in options for item in option)]
    command += ["--masters", str(first)]
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=START_SECONDS,
        start_new_session=True,
    )
    assert done.returncode == 0, done.stdout


def _draw_master(path: Path) -> Path:
    """Draw what a new service publishes first: the photograph that it comes with is a large one."""
    import pyvips  # not by workers that need no service

    pyvips.Image.grey(1200, 900, uchar=True).tiffsave(str(path))
    return path


@contextmanager
def run_service(directory: Path, *extra: str) -> Iterator[Service]:
    """`vitrine up` in this folder, with `extra` options; `vitrine down` at the end."""
    environment = os.environ | {DIRECTORY_VARIABLE: str(directory)}
    directory.mkdir(exist_ok=True)
    try:
        _start(environment, _draw_master(directory / "first.tif"), extra)
        addresses = LocalService.load(directory)
        assert addresses is not None
        yield Service(addresses, environment)
    finally:
        subprocess.run([VITRINE, "down"], env=environment, check=True, timeout=SECONDS)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The running service, in a folder of its own."""
    with run_service(tmp_path_factory.mktemp("service")) as running:
        yield running
