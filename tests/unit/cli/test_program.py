"""How the programs begin: quickly, with a help in groups, and with sentences for wrong usage."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from vitrine import __version__, cli

HEAVY = ("boto3", "botocore", "pyvips", "numpy", "jinja2", "matplotlib", "imagecodecs", "sqlite3")
_PROGRAM = """
import json, sys
from vitrine import cli
sys.argv = ["vitrine", *sys.argv[1:]]
try:
    cli.main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_imports_nothing_that_it_does_not_need(option: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, option], capture_output=True, text=True, check=True
    )
    imported = set(json.loads(done.stderr))
    assert not imported.intersection(HEAVY)
    assert not {name for name in imported if name.startswith(("vitrine.bootstrap", "vitrine.ad"))}


def _help(words: list[str] | None) -> str:
    result = CliRunner().invoke(cli.build_app(words), ["--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    return result.output


def test_help_fits_a_screen_and_tells_how_a_shell_completes_commands(
    run_program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    help = run_program("--help").stdout
    assert len(help.splitlines()) <= 40
    assert "--install-completion" in help
    assert "--show-completion" in help


def test_help_is_the_same_whether_commands_are_imported_or_not() -> None:
    assert _help([]) == _help(None)


def test_help_is_in_groups() -> None:
    text = _help([])
    places = [text.index(f" {panel} ") for panel in (cli.DAILY, cli.COLLECTION, cli.REPAIR)]
    assert places == sorted(places)


def test_the_version_is_printed(run_program: Callable[..., Any]) -> None:
    result = run_program("--version")
    assert (result.exit_code, result.stdout) == (0, f"vitrine {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nope"], "No such command 'nope'."),
        (["ingest"], "Missing argument 'FILE'."),
        (["status", "--frob"], "No such option: --frob"),
        (["down", "x"], "Got unexpected extra argument(s) (x)"),
    ],
)
def test_wrong_usage_is_a_sentence_and_where_to_read_on(
    run_program: Callable[..., Any], arguments: list[str], sentence: str
) -> None:
    result = run_program(*arguments)
    first, second = result.stderr.splitlines()
    assert (result.exit_code, result.stdout) == (2, "")
    assert first == f"vitrine: {sentence}"
    assert second.endswith("--help` explains the command.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "completions"), [("re", {"redirects"}), ("image re", {"rename", "replace", "restore"})]
)
def test_a_shell_completes_commands(line: str, completions: set[str]) -> None:
    environment = {"_VITRINE_COMPLETE": "complete_bash", "COMP_WORDS": f"vitrine {line}"}
    done = subprocess.run(
        [sys.executable, "-c", "from vitrine import cli; cli.main()"],
        env={**environment, "COMP_CWORD": str(len(line.split()))},
        capture_output=True,
        text=True,
    )
    assert set(done.stdout.split()) == completions, done
