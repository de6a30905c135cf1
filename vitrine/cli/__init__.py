"""The command `vitrine`: what a curator or an operator does; one file per group of commands.

Four commands that are typed every day stand alone: `up`, `down`, `status`, `ingest`. All others are
a noun and a verb: `vitrine image rename`.
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


DAILY, COLLECTION, REPAIR = "Every day", "The collection", "Look after it"
MODULES = (
    Module(
        "service",
        DAILY,
        {
            "up": "Start the service on this machine, ingest masters, and print the address of the "
            "viewer.",
            "down": "Stop the service on this machine; what was published stays for the next "
            "start.",
        },
    ),
    Module(
        "status.command",
        DAILY,
        {"status": "Show whether the service is well and what it holds, or all about one image."},
    ),
    Module(
        "ingest",
        DAILY,
        {"ingest": "Upload master images and wait until each can be viewed."},
    ),
    Module(
        "image.group",
        COLLECTION,
        {"image": "List, look up, rename, withdraw, restore, restrict or share images."},
    ),
    Module(
        "collection.group",
        COLLECTION,
        {"collection": "Publish a table and a folder of images as a collection."},
    ),
    Module(
        "objects.group",
        COLLECTION,
        {"object": "Publish, look up, rename or withdraw objects: what manifests say."},
    ),
    Module("api", COLLECTION, {"api": "Find the API for programs, and its description."}),
    Module(
        "photos",
        COLLECTION,
        {"photos": "Sign forms for the photo door, or change the key that signs them."},
    ),
    Module("rights", COLLECTION, {"rights": "Say who may see restricted images."}),
    Module(
        "access",
        COLLECTION,
        {"access": "Change the keys of tickets for restricted images, or revoke a share link."},
    ),
    Module(
        "discovery",
        COLLECTION,
        {"discovery": "Check a stream of changes, or refresh ours (IIIF Change Discovery)."},
    ),
    Module(
        "masters.group",
        COLLECTION,
        {"masters": "Ingest a whole collection; delete masters, or dismiss rejections."},
    ),
    Module(
        "redirects.group",
        COLLECTION,
        {"redirects": "Redirect previous identifiers to current ones."},
    ),
    Module(
        "failures",
        REPAIR,
        {"failures": "List, redrive or discard ingests that failed, though the master is sound."},
    ),
    Module("edge", REPAIR, {"edge": "Make the edge (CloudFront) forget cached images."}),
    Module("identifiers", REPAIR, {"identifiers": "Bring a lost table of identifiers back."}),
    Module("pyramid", REPAIR, {"pyramid": "Make pyramids that you already have fast to open."}),
    Module("site", REPAIR, {"site": "Publish the site: its first page, and what all pages share."}),
    Module("deploy", REPAIR, {"deploy": "Check an AWS account before a deployment to it."}),
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
