"""The command `vitrine`: what a curator or an operator does; one file per group of commands.

Five commands stand alone: `up`, `down`, `status`, `ingest`, `statistics`. All others are a noun and
a verb: `vitrine image rename`.
"""

import os
import sys
from collections.abc import Collection
from dataclasses import dataclass
from importlib import import_module

import typer

from vitrine.cli.console.program import new_program, run_program

HELP = "Vitrine: a IIIF image service for museums, libraries and archives."
COMPLETED = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""Variables in which shells pass the line that is to be completed: bash, and the others."""


@dataclass(frozen=True)
class Module:
    """A module of this package with a function `register(app)`."""

    name: str
    panel: str
    """The part of the help that its commands stand in."""
    commands: dict[str, str]
    """Help of its commands and groups, so that `vitrine --help` need not import it."""


DAILY, COLLECTION, SITE, REPAIR = "Every day", "The collection", "The site", "Look after it"
MODULES = (
    Module(
        "service",
        DAILY,
        {"up": "Start the service on this machine.", "down": "Stop it; what was published stays."},
    ),
    Module("ingest", DAILY, {"ingest": "Upload master images, and wait until they are published."}),
    Module("status.command", DAILY, {"status": "Show how the service is, or all about one image."}),
    Module("statistics.command", DAILY, {"statistics": "Show who looks at what, by day."}),
    Module(
        "collection.group",
        COLLECTION,
        {"collection": "Publish a table and a folder of images."},
    ),
    Module("image.group", COLLECTION, {"image": "Rename, replace, withdraw or look up an image."}),
    Module(
        "objects.group", COLLECTION, {"object": "Publish, rename, withdraw or look up an object."}
    ),
    Module("access.group", COLLECTION, {"access": "Say who may see what."}),
    Module("redirects.group", COLLECTION, {"redirects": "Redirect previous identifiers."}),
    Module(
        "masters.group",
        COLLECTION,
        {"masters": "Ingest millions of masters, or delete masters."},
    ),
    Module("site", SITE, {"site": "Publish the first page, and what all pages share."}),
    Module("discovery", SITE, {"discovery": "Check or refresh a stream of changes."}),
    Module("api", SITE, {"api": "Find the API for programs."}),
    Module("photos", SITE, {"photos": "Sign forms with which people send photographs."}),
    Module("failures", REPAIR, {"failures": "Look at ingests that failed, and try again."}),
    Module("edge", REPAIR, {"edge": "Make the edge forget cached answers."}),
    Module("identifiers", REPAIR, {"identifiers": "Bring a lost table of identifiers back."}),
    Module("pyramid", REPAIR, {"pyramid": "Make pyramids of other programs fast to open."}),
    Module(
        "deploy", REPAIR, {"deploy": "Check an AWS account before a deployment to it, and deploy."}
    ),
)
"""All modules, in the order of the help."""


def build_app(words: Collection[str] | None = None) -> typer.Typer:
    """Return the application with every command.

    Only the modules of commands among `words` are imported; the others' commands have a help and
    do nothing. None: all modules are imported.
    """
    app = new_program("vitrine", HELP, completion=True)
    for module in MODULES:
        if words is None or not module.commands.keys().isdisjoint(words):
            _register(app, module)
        else:
            for name, help in module.commands.items():
                app.command(name, help=help, rich_help_panel=module.panel)(lambda: None)
    return app


def _register(app: typer.Typer, module: Module) -> None:
    commands, groups = len(app.registered_commands), len(app.registered_groups)
    import_module(f"{__name__}.{module.name}").register(app)
    for command in app.registered_commands[commands:]:
        command.rich_help_panel = module.panel
    for group in app.registered_groups[groups:]:
        group.rich_help_panel = module.panel


def main() -> None:
    """Run the script `vitrine`."""
    completed = [word for name in COMPLETED for word in os.environ.get(name, "").split()]
    run_program(build_app([*sys.argv[1:], *completed]))
