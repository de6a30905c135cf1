"""Programs that measure: a saved run comes from a clean commit, unless `--allow-dirty` is given."""

import sys
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from vitrine.cli.console.printing import print_message, remember_program
from vitrine.cli.console.program import UNUSABLE, new_program, run_program, stop

OURS = ("vitrine", "loadtest", "capacity", "stacks", "docs")
VARIABLE = "VITRINE_ALLOW_DIRTY"
AllowDirty = Annotated[
    bool,
    typer.Option(
        "--allow-dirty",
        envvar=VARIABLE,
        help="Save runs of code that is not committed, with the hash of its difference.",
    ),
]

_dirty_is_allowed: ContextVar[bool] = ContextVar("dirty_is_allowed", default=False)


def new_measuring_program(name: str, help: str) -> typer.Typer:
    """Return an application without commands that takes `--allow-dirty` before its command."""
    app = new_program(name, help)

    def remember_options(allow_dirty: AllowDirty = False) -> None:
        remember_program(name)
        _dirty_is_allowed.set(allow_dirty)

    app.callback(help=help)(remember_options)
    return app


def run_measuring_program(app: typer.Typer) -> NoReturn:
    """Run it and exit; a package that `make setup` does not install is one sentence."""
    try:
        run_program(app)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in OURS:
            raise
        print_message(
            f"The Python package {package} is missing: load tests, studies and the planner need "
            "`make setup-tests`."
        )
        sys.exit(UNUSABLE)


def require_clean_tree() -> None:
    """Exit with code 2 if the run that is about to be saved could not be traced to a commit."""
    from loadtest.report.source_commit import source_commit

    commit = source_commit()
    if not commit.clean and not _dirty_is_allowed.get():
        stop(
            f"The working tree differs from commit {commit.name.removesuffix('-dirty')}, so a run "
            "could not be traced to its code. Commit your changes, or put --allow-dirty before "
            "the command to save the run with the hash of the difference."
        )


def require_clean_tree_for(results: Path | None) -> Path | None:
    """Return the folder of an option; exit with code 2 if one is given and the tree is dirty."""
    if results:
        require_clean_tree()
    return results
