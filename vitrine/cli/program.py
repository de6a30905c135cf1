"""What the three programs share: how one begins, and how a signal ends it."""

import signal
from types import FrameType

import typer


def new_program(name: str, help: str) -> typer.Typer:
    """Return an application without commands; `help` is one sentence."""
    app = typer.Typer(
        name=name,
        help=help,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    # Without a callback, typer would make a program of one command that command.
    app.callback(help=help)(lambda: None)
    return app


def run_program(app: typer.Typer) -> None:
    """Run it; SIGTERM lets go of what was started, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _exit_on_signal)
    app()


def _exit_on_signal(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
