"""Every command that a page or a message names exists, with its options."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from docs.build.command_tree import PROGRAMS, read_commands

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
SOURCES = ("*.py", "*.js", "*.html", "*.toml", "Makefile", "scripts/*")
FENCED = re.compile(r"^ *```[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
FOLDER = ".venv/bin/"
ENDS = {"|", "||", "&&", ";", ">", ">>", "<"}
COMMANDS = read_commands()
DECIDED = ROOT / "docs/explanations/decided-studies.md"
"""Lists commands of an earlier commit, by which results here were measured."""
RESULTS = tuple(ROOT / "docs" / folder for folder in ("adr", "explanations", "reference"))
"""Pages that may name them."""


def _invocations(line: str) -> list[list[str]]:
    """Return the words of each of our programs' calls in a line of shell, its name first."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        words = line.split()
    calls: list[list[str]] = []
    is_open = False
    for word in words:
        if word.removeprefix(FOLDER) in PROGRAMS:
            calls.append([word])
            is_open = True
        elif word in ENDS:
            is_open = False
        elif is_open:
            calls[-1].append(word)
    return calls


def _find_fault(words: list[str]) -> str:
    """Return what is wrong with a call, or nothing."""
    command = COMMANDS[(words[0].removeprefix(FOLDER),)]
    for word in words[1:]:
        if word.startswith("-") and not re.fullmatch(r"-\d+|-", word):
            if word.partition("=")[0] not in command.options:
                return f"{' '.join(command.words)} has no option {word}"
        elif command.names:
            if word not in command.names:
                return f"{' '.join(command.words)} has no command {word}"
            command = COMMANDS[(*command.words, word)]
    return ""


def _fenced_lines(text: str) -> list[str]:
    blocks = [block.replace("\\\n", " ") for block in FENCED.findall(text)]
    return [line for block in blocks for line in block.splitlines()]


def _inline_calls(text: str) -> list[list[str]]:
    named = [code for code in INLINE.findall(text) if code.split()[:1]]
    named = [code for code in named if code.split()[0].removeprefix(FOLDER) in PROGRAMS]
    return [call for code in named for call in _invocations(code)]


def test_every_command_on_a_page_exists_with_its_options() -> None:
    decided = {tuple(call) for call in _inline_calls(DECIDED.read_text()) if _find_fault(call)}
    faults = []
    for page in PAGES:
        text = page.read_text()
        calls = [call for line in _fenced_lines(text) for call in _invocations(line)]
        calls += _inline_calls(FENCED.sub("", text))
        if any(page.is_relative_to(folder) for folder in RESULTS):
            calls = [call for call in calls if decided.isdisjoint(_beginnings(call))]
        faults += [f"{page.name}: {fault}" for call in calls if (fault := _find_fault(call))]
    assert not faults


def _beginnings(call: list[str]) -> set[tuple[str, ...]]:
    return {tuple(call[:length]) for length in range(2, len(call) + 1)}


def test_commands_in_blocks_work_as_they_are_written() -> None:
    """Nothing has to be activated first: a block names the program's folder."""
    faults = []
    for page in PAGES:
        calls = [call for line in _fenced_lines(page.read_text()) for call in _invocations(line)]
        faults += [
            f"{page.name}: {' '.join(call)}" for call in calls if not call[0].startswith(FOLDER)
        ]
    assert not faults


def test_every_command_that_a_message_names_exists_with_its_options() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--", *SOURCES], cwd=ROOT, check=True, capture_output=True, text=True
    )
    faults = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if not path.is_file() or path.is_relative_to(ROOT / "results"):
            continue
        for call in _inline_calls(path.read_text(errors="replace")):
            if fault := _find_fault(call):
                faults.append(f"{name}: {fault}")
    assert not faults


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("vitrine rename a b", "vitrine has no command rename"),
        (".venv/bin/vitrine image show a --force", "vitrine image show has no option --force"),
        (".venv/bin/vitrine image show a --json || echo no", ""),
        ("vitrine-capacity plan --budget=3", ""),
        ("vitrine-loadtest --allow-dirty study museum --url a=b", ""),
    ],
)
def test_a_wrong_command_would_be_noticed(line: str, fault: str) -> None:
    [call] = _invocations(line)
    assert _find_fault(call) == fault
