"""Pages of docs/, followed to the letter on a machine that has published nothing yet."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rigs.free_port import free_ports
from tests.integration.local.machines import Machine
from vitrine.bootstrap.local_service import REPOSITORY

STEP = re.compile(r"^## \d+\. (.*?)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
TUTORIAL = STEP.findall((REPOSITORY / "docs/tutorial.md").read_text())
COLLECTION = STEP.findall((REPOSITORY / "docs/howto/publish-a-collection.md").read_text())
BOOK = STEP.findall((REPOSITORY / "docs/howto/make-a-book-searchable.md").read_text())
# The tutorial ends the service that it started.
STEPS = [*TUTORIAL[:-1], *COLLECTION, *BOOK, TUTORIAL[-1]]
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PORTS = ("8080", "8081", "4566")
VARIES = "…"


class Reader:
    """Somebody who types what the page says, in a folder of his own, with ports of his own."""

    def __init__(self, folder: Path) -> None:
        self.ports = [str(port) for port in free_ports(3)]
        self.machine = Machine(folder / ".state", [int(port) for port in self.ports])
        self.folder = folder
        for name in (".venv", ".build"):
            (folder / name).symlink_to(REPOSITORY / name)

    def type(self, line: str) -> str:
        """Return what the command prints, in the tutorial's ports."""
        if line == "make up":
            done = self.machine.up()
        elif line == "make down":
            done = self.machine.run("down")
        else:
            done = subprocess.run(
                ["bash", "-c", line.replace(PORTS[0], self.ports[0])],
                cwd=self.folder,
                env=self.machine.environment,
                capture_output=True,
                text=True,
                timeout=300,
            )
        printed = done.stderr + done.stdout
        for own, ours in zip(self.ports, PORTS, strict=True):
            printed = printed.replace(own, ours)
        return printed


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    made = Reader(tmp_path_factory.mktemp("t"))
    try:
        yield made
    finally:
        made.machine.run("down")


def _missing(shown: str, printed: str) -> str:
    """Return the first line of the page that was not printed, after those before it."""
    place = 0
    for line in filter(str.strip, shown.splitlines()):
        parts = map(re.escape, line.strip().split(VARIES))
        found = re.compile("^ *" + ".*".join(parts) + " *$", re.MULTILINE).search(printed, place)
        if line.strip() == VARIES:
            continue
        if not found:
            return line
        place = found.end()
    return ""


def _commands(text: str) -> list[str]:
    """Return the commands of a block: lines, and texts up to their END."""
    return re.findall(r"^.*<<'END'\n(?s:.*?)^END$|^.+$", text, re.MULTILINE)


@pytest.mark.parametrize(("title", "step"), STEPS, ids=[title for title, _ in STEPS])
def test_each_step_shows_what_the_page_says(reader: Reader, title: str, step: str) -> None:
    printed = ""
    for kind, text in BLOCK.findall(step):
        if kind == "sh":
            printed = "".join(map(reader.type, _commands(text)))
        else:
            missing = _missing(text, printed)
            assert not missing, f"{title}: the page shows {missing!r}, but one sees:\n{printed}"


def test_a_text_up_to_its_end_is_one_command() -> None:
    assert _commands("a\ncat <<'END'\nb\nc\nEND\n\nd\n") == ["a", "cat <<'END'\nb\nc\nEND", "d"]


def test_a_line_that_is_not_printed_would_be_noticed() -> None:
    assert _missing("a … c\nd\n", "a b c\nd\n") == ""
    assert _missing("d\na … c\n", "a b c\nd\n") == "a … c"
    assert _missing("a c\n", "a b c\n") == "a c"
