"""`vitrine collection import`: an export is published again, in the same or another service."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.bootstrap.curation import own_curation
from vitrine.bootstrap.deployed_services import deployed_publisher
from vitrine.bootstrap.deployment import Deployment
from vitrine.catalogue.objects import Objects
from vitrine.cli.collection.display import show_progress
from vitrine.cli.collection.file import usable
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines, print_message
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.cli.masters.migrate import migrate_collection
from vitrine.cli.masters.migration_display import report_lines
from vitrine.export.bag import BagUnusable, check_bag
from vitrine.export.exported_lists import ExportedLists
from vitrine.export.read_back import (
    ReadBack,
    announce_objects,
    restore_objects,
    restore_redirects,
    restore_rules,
    restore_tombstones,
)
from vitrine.migrate.migration_report import is_successful
from vitrine.migrate.prepare import Collection
from vitrine.migrate.tolerance import Tolerance

SHOWN = 20
"""Damaged files and refusals that the terminal shows; `--json` has all refusals."""


def import_export(
    folder: Annotated[
        Path,
        typer.Argument(help="The folder of an export.", metavar="FOLDER", exists=True),
    ],
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Publish what `vitrine collection export` wrote: images, redirects, tombstones and objects.

    First every file is compared with its checksum: of an export that is damaged nothing is
    published. Then the rules of access are set, so that no image shows more than it did. Images go
    through the same checks and conversion as every master. It may be stopped at any moment: the
    same command continues, and what is up to date is not written.

    Exit code 0: all is published. 1: some of it is not, or files are damaged. 2: it is no complete
    export, or the service is not running.
    """
    lists, result, images = ExportedLists(folder.absolute()), ReadBack(), {}
    with usable(), connected(environment) as service:
        _check(lists.folder, quiet=as_json)
        _restore_rules(service, lists, result, quiet=as_json)
        objects = Objects(deployed_publisher(environment))
        announce_objects(objects.publisher, lists)
        if lists.images.stat().st_size:
            collection = Collection(place=lists.images)
            images = migrate_collection(collection, environment, Tolerance(100), quiet=as_json)
        with show_progress("tombstones", None, quiet=as_json) as on_progress:
            restore_tombstones(service.register, lists, result, on_progress)
        restore_redirects(service.register, lists, result)
        _restore_rules(service, lists, result, quiet=as_json, of_redirects=True)
        with show_progress("objects", None, quiet=as_json) as on_progress:
            restore_objects(objects, lists, result, on_progress)
    if as_json:
        print_json(_as_json(result, images))
    else:
        print_lines(_lines(result, images))
    if result.refused or (images and not is_successful(images)):
        raise typer.Exit(UNSUCCESSFUL)


def _check(folder: Path, *, quiet: bool) -> None:
    """End the command if the export is not whole."""
    damaged = 0
    try:
        with show_progress("checksums", None, quiet=quiet):
            for damaged, sentence in enumerate(check_bag(folder), start=1):
                if damaged <= SHOWN:
                    print_message(sentence)
    except BagUnusable as error:
        stop(str(error))
    if damaged:
        print_message(f"{damaged:,} files are missing or damaged: nothing was published.")
        raise typer.Exit(UNSUCCESSFUL)


def _restore_rules(
    service: Deployment,
    lists: ExportedLists,
    result: ReadBack,
    *,
    quiet: bool,
    of_redirects: bool = False,
) -> None:
    try:
        with show_progress("rules of access", None, quiet=quiet) as on_progress:
            curation = own_curation(service)
            restore_rules(curation, lists, result, on_progress, of_redirects=of_redirects)
    except BagUnusable as error:
        stop(str(error))


def _lines(result: ReadBack, images: dict[str, Any]) -> Iterator[str]:
    if images:
        yield "Images:"
        yield from (f"  {line}" for line in report_lines(images))
    yield f"{result.counts['rules']:>12,} rules of access were set"
    for name in ("objects", "redirects", "tombstones"):
        yield f"{result.counts[name]:>12,} {name} were published"
    yield f"{result.counts['unchanged']:>12,} were up to date"
    yield from result.refused[:SHOWN]
    if (more := len(result.refused) - SHOWN) > 0:
        yield f"and {more:,} more: --json has all"


def _as_json(result: ReadBack, images: dict[str, Any]) -> dict[str, Any]:
    return {
        "images": images.get("counts", {}),
        "published": dict(result.counts),
        "refused": result.refused,
    }
