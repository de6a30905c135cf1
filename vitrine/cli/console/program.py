"""What the three programs share: how one begins, reports an error, and is ended by a signal."""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from vitrine import __version__
from vitrine.cli.console.printing import print_lines, print_message, remember_program

UNSUCCESSFUL = 1
UNUSABLE = 2
"""Exit code for wrong usage, or for a service that is not running."""
INTERRUPTED = 128 + signal.SIGINT

COMPLETION_HELP = {
    "install_completion": "Let this shell complete commands.",
    "show_completion": "Print the script that does so.",
}
"""In place of Typer's own sentences, which take five lines of a screen."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def _print_version(requested: bool) -> None:
    if requested:
        print_lines([f"vitrine {__version__}"])
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
    ),
]


def new_program(name: str, help: str, completion: bool = False) -> typer.Typer:
    """Return an application without commands; `help` is one sentence."""
    app = typer.Typer(
        name=name,
        help=help,
        no_args_is_help=True,
        add_completion=completion,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",  # it fills paragraphs; the others keep a docstring's lines
    )

    def begin(version: Version = False) -> None:
        remember_program(name)

    app.callback(help=help)(begin)
    return app


def new_group(help: str) -> typer.Typer:
    """Return a group without commands; `help` is one sentence."""
    group = typer.Typer(help=help, no_args_is_help=True)
    # Without a callback, typer would make a group of one command that command.
    group.callback(help=help)(lambda: None)
    return group


def run_program(app: typer.Typer, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run it and exit; SIGTERM lets go of what was started, as Ctrl-C does.

    Wrong usage and an error of the system (a disk is full, a file cannot be read) are one sentence.
    """
    signal.signal(signal.SIGTERM, _exit_on_signal)
    remember_program(app.info.name or "vitrine")
    try:
        code = _make_command(app)(arguments, prog_name=app.info.name, standalone_mode=False)
    except TyperException as error:
        _print_usage_error(error)
        sys.exit(error.exit_code)
    except typer.Abort:
        code = INTERRUPTED
    except OSError as error:
        print_message(explain_system_error(error))
        sys.exit(UNUSABLE)
    if code == INTERRUPTED:
        # At once: threads that still upload would be waited for, gigabytes long.
        sys.stdout.flush()
        os._exit(code)
    sys.exit(code if isinstance(code, int) else 0)


def _make_command(app: typer.Typer) -> Any:
    command: Any = typer.main.get_command(app)
    for option in command.params:
        option.help = COMPLETION_HELP.get(option.name, option.help)
    return command


def explain_system_error(error: OSError) -> str:
    """Return a sentence about an error of the system: the file, and what is the matter."""
    what = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {what}." if error.filename else f"{what}."


def _print_usage_error(error: TyperException) -> None:
    if type(error).__name__ == "NoArgsIsHelpError":  # the help is printed
        return
    print_message(error.format_message())
    context: Any = getattr(error, "ctx", None)
    if context is not None:
        print_message(f"`{context.command_path} --help` explains the command.")


def stop(sentence: str) -> NoReturn:
    """Print the reason on standard error and end with exit code 2."""
    print_message(sentence)
    raise typer.Exit(UNUSABLE)


def _exit_on_signal(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
