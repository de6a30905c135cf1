"""The command line: one file per group of verbs."""

import signal
from importlib import import_module
from types import FrameType

import typer

VERB_GROUPS = (
    "service",
    "ingest",
    "migrate",
    "status",
    "failures",
    "curate",
    "identifier",
    "redirect",
    "reconcile",
    "rebuild",
    "invalidate",
    "site",
    "relayout",
    "cache",
    "bench",
    "compare",
    "loadtest",
    "capacity",
)
"""Modules of this package, each with a function `register(app)`, in the order of the help."""


def build_app() -> typer.Typer:
    """The application with every verb."""
    app = typer.Typer(
        name="vitrine",
        help="Vitrine: a IIIF image service for museums, libraries and archives.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    @app.callback()
    def vitrine() -> None:
        """Vitrine: a IIIF image service for museums, libraries and archives."""

    for name in VERB_GROUPS:
        import_module(f"{__name__}.{name}").register(app)
    return app


def main() -> None:
    """Entry point of the script `vitrine`. SIGTERM lets go of what was started, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _end)
    build_app()()


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
