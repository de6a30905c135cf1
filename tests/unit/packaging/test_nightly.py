"""What waits for the night is named, exists, and runs when it is requested for by name."""

from pathlib import Path

import pytest

from tests.nightly import NIGHTLY, is_ignored, is_nightly

ROOT = Path(__file__).parents[3]
FILES = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]


class Config:
    """The part of pytest's configuration that decides."""

    rootpath = ROOT

    def __init__(self, *args: str, nightly: bool = False) -> None:
        self.args = list(args)
        self.nightly = nightly

    def getoption(self, name: str) -> bool:
        assert name == "--nightly"
        return self.nightly


def _ignored(file: str, config: Config) -> bool:
    return is_ignored(ROOT / file, config)  # type: ignore[arg-type]


def test_every_beginning_is_that_of_a_file() -> None:
    assert not [name for name in NIGHTLY if not any(file.startswith(name) for file in FILES)]


def test_what_waits_for_the_night_runs_then_and_when_it_is_asked_for() -> None:
    file = "tests/integration/containers/test_contained_task.py"
    assert is_nightly(file)
    assert _ignored(file, Config("tests/integration", "tests/unit"))
    assert not _ignored(file, Config("tests/integration", nightly=True))
    for requested in ("tests/integration/containers", file, f"{ROOT}/{file}", f"{file}::test_one"):
        assert not _ignored(file, Config(requested)), requested


@pytest.mark.parametrize("requested", ["tests", "tests/integration/deliver/test_images.py"])
def test_another_name_does_not_ask_for_it(requested: str) -> None:
    assert _ignored("tests/integration/deliver/test_runbooks.py", Config(requested))
    assert not _ignored("tests/integration/deliver/test_images.py", Config(requested))
