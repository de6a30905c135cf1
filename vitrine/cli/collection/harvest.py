"""`vitrine collection harvest`: records or manifests of others, kept as the table."""

from typing import Annotated

import typer

from vitrine.bootstrap.environments import LOCAL
from vitrine.cli.collection.display import harvested_lines, logged_lines, show_progress
from vitrine.cli.collection.file import Rules, usable
from vitrine.cli.console.environment import DEFAULT, Environment, connected, require_described
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson, stop
from vitrine.sources.harvest.guarded_http import GuardedHttp, NotHarvested
from vitrine.sources.harvest.harvest_log import log_harvest, read_log
from vitrine.sources.harvest.kept_folder import Harvest
from vitrine.sources.harvest.lock import take_turn
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.updates.open_source import open_source
from vitrine.sources.updates.scheduled import read_reports
from vitrine.store.clock import now

PrivateToo = Annotated[
    bool,
    typer.Option("--private-too", help="Allow a server on a private network or on this machine."),
]


def harvest(
    rules: Rules,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything",
            help="Fetch all records and images again, and remove records that are gone.",
        ),
    ] = False,
    private_too: PrivateToo = False,
    as_json: AsJson = False,
) -> None:
    """Fetch what changed since the last harvest of a IIIF collection or an OAI-PMH repository.

    The file names it: `kind` and `address` of [source]; records or manifests are kept in the
    folder `table`, images of manifests in `masters`. Nothing is published: `check` and `publish`
    read them there. After an interruption, the same command continues.

    Exit code 0: all that changed is here. 1: some records or images could not be fetched. 2: the
    file or the server is not usable.
    """
    with usable():
        mapping = read_mapping(rules)
        with take_turn(mapping.table):
            done = harvest_logged(
                mapping, everything=everything, private_too=private_too, quiet=as_json
            )
    if as_json:
        print_json(done.as_json())
    else:
        print_lines(harvested_lines(str(mapping.table), done))
    if done.failures:
        raise typer.Exit(UNSUCCESSFUL)


def harvest_logged(
    mapping: MappingFile, *, everything: bool, private_too: bool, quiet: bool
) -> Harvest:
    """Fetch what changed, and note that; end the command if the server is not usable.

    Raises MappingUnusable and OSError.
    """
    try:
        source = open_source(mapping, GuardedHttp(private_too=private_too))
        with show_progress("records", None, quiet=quiet) as on_progress:
            done = source.harvest(everything=everything, on_progress=on_progress)
        log_harvest(mapping.table, now(), done)
    except NotHarvested as error:
        log_harvest(mapping.table, now(), str(error))
        stop(f"{str(error).rstrip('.')}. What was fetched is kept.")
    return done


def harvests(
    rules: Rules,
    most: Annotated[
        int, typer.Option("--limit", help="How many to list, the newest first.", min=1)
    ] = 20,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """List the harvests of a collection: when, what each brought, and what could not be fetched.

    Those whose records are in the folder next to FILE; of a collection that has none there, those
    that the environment made by itself.

    Exit code 0: the newest fetched all that changed, and what it published is complete. 1: it did
    not, or none ended yet. 2: the file is not usable, or the service is not running.
    """
    require_described(environment)
    with usable():
        mapping = read_mapping(rules)
        found = read_log(mapping.table) if environment == LOCAL else []
        if not (found or mapping.needs_folder):
            with connected(environment) as service:
                found = read_reports(service.records, mapping.identifier)
        found = found[-most:]
    if as_json:
        print_json([vars(one) for one in found])
    else:
        print_lines(logged_lines(found))
    if not found or not found[-1].is_complete:
        raise typer.Exit(UNSUCCESSFUL)
