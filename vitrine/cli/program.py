"""What the three programs share: how one begins, reports an error, and is ended by a signal."""

import signal
import sys
from contextvars import ContextVar
from types import FrameType
from typing import Annotated, NoReturn

import typer

UNSUCCESSFUL = 1
UNUSABLE = 2
"""Exit code for wrong usage, or for a service that is not running."""

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

_program: ContextVar[str] = ContextVar("program", default="vitrine")


def new_program(name: str, help: str) -> typer.Typer:
    """Return an application without commands; `help` is one sentence."""
    app = typer.Typer(
        name=name,
        help=help,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",  # it fills paragraphs; the others keep a docstring's lines
    )

    app.callback(help=help)(lambda: remember_program(name))
    return app


def remember_program(name: str) -> None:
    """Begin messages of this process with that name."""
    _program.set(name)


def new_group(help: str) -> typer.Typer:
    """Return a group without commands; `help` is one sentence."""
    group = typer.Typer(help=help, no_args_is_help=True)
    # Without a callback, typer would make a group of one command that command.
    group.callback(help=help)(lambda: None)
    return group


def run_program(app: typer.Typer) -> None:
    """Run it; SIGTERM lets go of what was started, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _exit_on_signal)
    app()


def print_message(sentence: str) -> None:
    """Print a sentence on standard error, after the name of the program that runs."""
    print(f"{_program.get()}: {sentence}", file=sys.stderr)


def stop(sentence: str) -> NoReturn:
    """Print the reason on standard error and end with exit code 2."""
    print_message(sentence)
    raise typer.Exit(UNUSABLE)


def _exit_on_signal(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
