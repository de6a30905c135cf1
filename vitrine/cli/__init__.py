"""The command line: one file per group of verbs."""

from importlib import import_module

import typer

from vitrine.cli.program import new_program, run_program

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
)
"""Modules of this package, each with a function `register(app)`, in the order of the help."""


HELP = "Vitrine: a IIIF image service for museums, libraries and archives."


def build_app() -> typer.Typer:
    """Return the application with every command."""
    app = new_program("vitrine", HELP)
    for name in VERB_GROUPS:
        import_module(f"{__name__}.{name}").register(app)
    return app


def main() -> None:
    """Run the script `vitrine`."""
    run_program(build_app())
