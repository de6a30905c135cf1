"""`vitrine collection`: from a table and a folder of images to a published collection."""

import csv
import sys
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.collection.display import (
    check_lines,
)
from vitrine.cli.collection.dump import dump
from vitrine.cli.collection.export import export
from vitrine.cli.collection.file import Rules, open_rules, usable
from vitrine.cli.collection.harvest import harvest, harvests
from vitrine.cli.collection.import_export import import_export
from vitrine.cli.collection.index import index
from vitrine.cli.collection.ocr import ocr
from vitrine.cli.collection.preview import preview
from vitrine.cli.collection.publish import publish
from vitrine.cli.collection.redirects import redirects
from vitrine.cli.collection.rollback import rollback
from vitrine.cli.collection.rules import export_rules, import_rules
from vitrine.cli.collection.schedule import schedule
from vitrine.cli.collection.update import update
from vitrine.cli.console.environment import DEFAULT, Environment
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, new_group, stop
from vitrine.proposal.propose import propose, title_of
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.masters_folder import folder_masters, is_master
from vitrine.sources.mapping.table import TABLES
from vitrine.sources.mapping.to_objects import MappedObject, RowNote
from vitrine.sources.updates.open_mapper import open_mapper

NAME = "collection.toml"


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Publish a table and a folder of images.")
    rules = (init, export_rules, import_rules)
    fetching = (harvest, update, schedule, harvests)
    verbs = (check, ocr, preview, publish, rollback, redirects, dump, index)
    for command in (*rules, *fetching, *verbs):
        group.command(command.__name__.replace("_", "-"))(command)
    group.command("export")(export)
    group.command("import")(import_export)
    app.add_typer(group, name="collection")


def init(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A folder with a table and images.", metavar="FOLDER", exists=True, file_okay=False
        ),
    ],
    table: Annotated[
        str, typer.Option(help="Name of the table, if there are several.", metavar="FILE")
    ] = "",
    sheet: Annotated[
        str,
        typer.Option(help="Name of the sheet to read, if the table is an Excel file with several."),
    ] = "",
    title: Annotated[
        str, typer.Option(help="Title of the collection; a terminal asks for it.", metavar="TEXT")
    ] = "",
) -> None:
    """Propose which columns of a table become what, and write that to collection.toml.

    The images in the folder show which column names them. Read the file and change what is wrong;
    then `vitrine collection check`.

    Exit code 0: written. 2: there is no table, more than one, or a collection.toml already.
    """
    target = folder / NAME
    if target.exists():
        stop(f"{target} exists already: move it away to have another one proposed.")
    path = folder / table if table else _only_table(folder)
    if not title and sys.stdin.isatty():
        title = typer.prompt("Title of the collection", default=title_of(path, sheet))
    with usable():
        masters = _masters_of(folder)
        text = propose(path, folder_masters(folder / masters), masters, sheet, title)
    target.write_text(text, encoding="utf-8")
    print_lines([f"{target}: a proposal; read it before `vitrine collection check`"])


def check(
    rules: Rules,
    notes_file: Annotated[
        Path | None,
        typer.Option("--notes", help="Write every note to FILE, as CSV.", metavar="FILE"),
    ] = None,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Say what would be published, and what is wrong with which row. Nothing is sent.

    A fault keeps an object from being published. A note, such as a missing alternative text, does
    not.

    Exit code 0: no faults. 1: some rows have faults. 2: the file or the table is not usable.
    """
    with usable():
        mapping, masters = open_rules(rules, environment)
        found = list(open_mapper(mapping, masters).objects())
    notes = [one for one in found if isinstance(one, RowNote)]
    mapped = [one for one in found if isinstance(one, MappedObject)]
    if notes_file:
        _write_notes(notes_file, mapping, notes)
    if as_json:
        print_json(
            {
                "objects": len(mapped),
                "images": sum(len(one.files) for one in mapped),
                "notes": [vars(note) for note in notes],
            }
        )
    else:
        print_lines(check_lines(mapped, notes))
    if any(note.is_fault for note in notes):
        raise typer.Exit(UNSUCCESSFUL)


def _only_table(folder: Path) -> Path:
    found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in TABLES]
    found = [path for path in found if not path.stem.endswith(("-published", ".images"))]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        stop(f"{folder} should have one table (CSV, Excel, JSON), or name it by --table: {names}.")
    return found[0]


def _masters_of(folder: Path) -> str:
    """Return the folder in it that has all images; itself if they are in several, or in none."""
    paths = (path.relative_to(folder).parts for path in folder.rglob("*") if is_master(path))
    found = {inside[0] if len(inside) > 1 else "." for inside in paths}
    return found.pop() if len(found) == 1 else "."


def _write_notes(path: Path, mapping: MappingFile, notes: list[RowNote]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "row", "rule", "fault", "what"])
        for note in notes:
            fault = "yes" if note.is_fault else ""
            writer.writerow(
                [note.file or mapping.table.name, note.row, note.rule, fault, note.sentence]
            )
