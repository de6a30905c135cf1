"""The command `vitrine`: what a curator or an operator does; one file per group of commands.

Four commands that are typed every day stand alone: `up`, `down`, `status`, `ingest`. All others are
a noun and a verb: `vitrine image rename`.
"""

from importlib import import_module

import typer

from vitrine.cli.program import new_program, run_program

MODULES = (
    "service",
    "status",
    "ingest",
    "masters",
    "image",
    "redirects",
    "failures",
    "edge",
    "identifiers",
    "pyramid",
    "site",
)
"""Modules of this package, each with a function `register(app)`, in the order of the help."""


HELP = "Vitrine: a IIIF image service for museums, libraries and archives."


def build_app() -> typer.Typer:
    """Return the application with every command."""
    app = new_program("vitrine", HELP)
    for name in MODULES:
        import_module(f"{__name__}.{name}").register(app)
    return app


def main() -> None:
    """Run the script `vitrine`."""
    run_program(build_app())
