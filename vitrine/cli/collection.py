"""`vitrine collection`: from a table and a folder of images to a published collection."""

import csv
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.cli.collection_display import (
    check_lines,
    note_lines,
    published_lines,
    show_progress,
    undo_line,
)
from vitrine.cli.collection_dump import dump, dump_lines, write_dumps
from vitrine.cli.collection_export import export
from vitrine.cli.collection_file import Rules, usable
from vitrine.cli.collection_harvest import harvest, harvests
from vitrine.cli.collection_import import import_export
from vitrine.cli.collection_preview import preview
from vitrine.cli.collection_redirects import redirects
from vitrine.cli.collection_rollback import rollback
from vitrine.cli.collection_rules import export_rules, import_rules
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.masters_migrate import migrate_collection
from vitrine.cli.migration_display import report_lines
from vitrine.cli.printing import print_json, print_lines
from vitrine.cli.program import UNSUCCESSFUL, AsJson, new_group, stop
from vitrine.iiif.presentation.addresses import MANIFEST, NEWEST, document_path
from vitrine.migrate.prepare import Collection
from vitrine.migrate.tolerance import Tolerance
from vitrine.present.mapping.handed_back import hand_back
from vitrine.present.mapping.mapping_file import MappingFile, read_mapping
from vitrine.present.mapping.masters_folder import is_master
from vitrine.present.mapping.open_mapper import AnyMapper, open_mapper
from vitrine.present.mapping.propose import propose
from vitrine.present.mapping.publish_objects import TableReport, publish_objects
from vitrine.present.mapping.spreadsheet import Spreadsheet
from vitrine.present.mapping.table import TABLES
from vitrine.present.mapping.to_objects import MappedObject, Note
from vitrine.present.objects.objects import Objects
from vitrine.store.clock import now

NAME = "collection.toml"


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Publish a table and a folder of images as a collection.")
    rules = (init, export_rules, import_rules)
    verbs = (harvest, harvests, check, preview, publish, rollback, redirects, dump)
    for command in (*rules, *verbs):
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
        str, typer.Option(help="Name of the sheet of an Excel file; else its first.")
    ] = "",
) -> None:
    """Propose which columns of a table become what, and write that to collection.toml.

    Read it and change what is wrong; then `vitrine collection check`.

    Exit code 0: written. 2: there is no table, more than one, or a collection.toml already.
    """
    target = folder / NAME
    if target.exists():
        stop(f"{target} exists already: move it away to have another one proposed.")
    path = folder / table if table else _only_table(folder)
    with usable():
        text = propose(path, _masters_of(folder), sheet)
    target.write_text(text, encoding="utf-8")
    print_lines([f"{target}: a proposal; read it before `vitrine collection check`"])


def check(
    rules: Rules,
    notes_file: Annotated[
        Path | None,
        typer.Option("--notes", help="Write every note to FILE, as CSV.", metavar="FILE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what would be published, and what is the matter with which row. Nothing is sent.

    A fault keeps an object from being published. A note, such as a missing alternative text, does
    not.

    Exit code 0: no faults. 1: some rows have faults. 2: the file or the table is not usable.
    """
    with usable():
        mapping = read_mapping(rules)
        found = list(open_mapper(mapping).objects())
    notes = [one for one in found if isinstance(one, Note)]
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


def publish(
    rules: Rules,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Count what would be sent, with hours and dollars, but send nothing."
        ),
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Publish the images of a table, an object for each row or book, and their collection.

    It may be stopped at any moment: the same command continues, and writes nothing that is up to
    date. Rows with faults are named, and the rest is published. Next to FILE it leaves the list
    of images and, for a spreadsheet, the table with the address of each manifest.

    Exit code 0: all is published. 1: some of it is not. 2: the file or the table is not usable, or
    the service is not running.
    """
    with usable(), connected(environment) as service:
        mapping = read_mapping(rules)
        notes: list[Note] = []
        mapper = open_mapper(mapping)
        manifest, count = _write_images(rules, mapper, notes)
        if dry_run:
            _foresee(manifest, count, notes, environment, as_json=as_json)
            return
        images = _migrate_images(manifest, environment, quiet=as_json) if manifest else {}
        begun = now()
        # Read again, so that no table is too long for the memory.
        again = (one for one in open_mapper(mapping).objects() if isinstance(one, MappedObject))
        objects = Objects(deployed_publisher(environment))
        with show_progress("objects", count, quiet=as_json) as on_progress:
            report = publish_objects(objects, mapping, again, on_progress, nesting=mapper.nesting)
        dumps = write_dumps(service, quiet=as_json)
        addresses = _addresses(service.edge_url, report)
        handed_back = None
        if isinstance(mapper.table, Spreadsheet):
            handed_back = mapping.table.with_name(f"{mapping.table.stem}-published.csv")
            hand_back(mapper.table, addresses, handed_back)
    if as_json:
        print_json(_as_json(report, notes, images, addresses) | {"dumps": vars(dumps)})
    else:
        print_lines(published_lines(service.edge_url, report, notes, images, handed_back))
        print_lines(dump_lines(service.edge_url, dumps))
        if report.made:
            print_lines([undo_line(mapping.identifier, begun)])
    if report.refused or report.waiting or any(note.is_fault for note in notes):
        raise typer.Exit(UNSUCCESSFUL)


def _addresses(edge_url: str, report: TableReport) -> dict[int, str]:
    """Return the addresses of the published manifests by row."""
    return {
        row: edge_url + document_path(NEWEST, identifier, MANIFEST)
        for row, identifier in report.rows.items()
    }


def _write_images(rules: Path, mapper: AnyMapper, notes: list[Note]) -> tuple[Path | None, int]:
    """Write the manifest of the images' migration, and add to `notes`.

    Returns the manifest, None without images, and the number of objects.
    """
    manifest, objects, images = rules.with_suffix(".images.csv"), 0, 0
    with manifest.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["source", "identifier"])
        written: set[str] = set()
        for one in mapper.objects():
            if isinstance(one, Note):
                notes.append(one)
                continue
            objects += 1
            for name in one.files.keys() - written:
                writer.writerow([str(one.files[name].resolve()), name])
                images += 1
            written |= one.files.keys()
    return (manifest if images else None), objects


def _migrate_images(
    manifest: Path, environment: str, *, quiet: bool, dry_run: bool = False
) -> dict[str, Any]:
    """Publish the files that objects show; return the summary of the migration."""
    # What is rejected is named in the report, and left out of the manifests.
    everything = Tolerance(100)
    collection = Collection(place=manifest)
    return migrate_collection(collection, environment, everything, dry_run=dry_run, quiet=quiet)


def _foresee(
    manifest: Path | None, count: int, notes: list[Note], environment: str, *, as_json: bool
) -> None:
    """Print what publishing would do, and what it would take."""
    images = _migrate_images(manifest, environment, quiet=as_json, dry_run=True) if manifest else {}
    if as_json:
        print_json({"objects": count, "images": images, "notes": [vars(note) for note in notes]})
        return
    print_lines([f"{count:,} objects would be published", *note_lines(notes)])
    if images:
        print_lines(report_lines(images))


def _as_json(
    report: TableReport, notes: list[Note], images: dict[str, Any], addresses: dict[int, str]
) -> dict[str, Any]:
    return {
        "made": report.made,
        "unchanged": report.unchanged,
        "waiting": report.waiting,
        "refused": [{"row": row, "sentence": sentence} for row, sentence in report.refused],
        "gone": report.gone,
        "images": images.get("counts", {}),
        "notes": [vars(note) for note in notes],
        "addresses": addresses,
    }


def _only_table(folder: Path) -> Path:
    found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in TABLES]
    found = [path for path in found if not path.stem.endswith(("-published", ".images"))]
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        stop(f"{folder} should have one table (CSV, Excel, JSON), or name it by --table: {names}.")
    return found[0]


def _masters_of(folder: Path) -> str:
    """Return the folder in it that has most images, or itself."""
    counts: dict[str, int] = defaultdict(int)
    for path in folder.rglob("*"):
        if is_master(path):
            inside = path.relative_to(folder).parts
            counts[inside[0] if len(inside) > 1 else "."] += 1
    return max(counts, key=lambda name: counts[name]) if counts else "."


def _write_notes(path: Path, mapping: MappingFile, notes: list[Note]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "row", "rule", "fault", "what"])
        for note in notes:
            fault = "yes" if note.is_fault else ""
            writer.writerow(
                [note.file or mapping.table.name, note.row, note.rule, fault, note.sentence]
            )
