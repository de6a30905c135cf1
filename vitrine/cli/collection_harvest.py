"""`vitrine collection harvest`: records of a repository, kept as the table."""

from typing import Annotated

import typer

from vitrine.cli.collection_display import show_progress
from vitrine.cli.collection_file import Rules, usable
from vitrine.cli.printing import print_json, print_lines
from vitrine.cli.program import AsJson, stop
from vitrine.present.mapping.mapping_file import read_mapping
from vitrine.present.mapping.table import TABLES


def harvest(
    rules: Rules,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything", help="Fetch all records again, and remove those that are gone."
        ),
    ] = False,
    private_too: Annotated[
        bool,
        typer.Option(
            "--private-too", help="Allow a repository on a private network or on this machine."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Fetch the records that changed since the last harvest from a repository (OAI-PMH).

    The file names it: `oai`, `prefix` and `set` of [source]; the records are kept in the folder
    `table`. Nothing is published: `check` and `publish` read them there. Stopped, or with the
    repository gone, the same command goes on where it was.

    Exit code 0: all that changed is here. 2: the file or the repository is not usable.
    """
    from vitrine.present.harvest.guarded_http import GuardedHttp, NotHarvested
    from vitrine.present.harvest.oai_pmh import Repository
    from vitrine.present.harvest.record_folder import RecordFolder

    with usable():
        mapping = read_mapping(rules)
        if not (source := mapping.oai):
            stop(f"{rules} names no repository: say oai = its address in the section [source].")
        if mapping.table.suffix.lower() in TABLES:
            stop(f"{rules}: source.table has to be a folder where records are harvested.")
        repository = Repository(source.address, GuardedHttp(private_too=private_too).get)
        folder = RecordFolder(mapping.table, repository, source.prefix, source.set_name)
        try:
            with show_progress("records", None, quiet=as_json) as on_progress:
                done = folder.harvest(everything=everything, on_progress=on_progress)
        except NotHarvested as error:
            stop(f"{str(error).rstrip('.')}. What was fetched is kept.")
    if as_json:
        print_json(done.as_json())
        return
    figures = done.as_json()
    print_lines(
        [
            f"{mapping.table}: {figures['new']:,} new records, {figures['changed']:,} changed, "
            f"{figures['unchanged']:,} unchanged, {figures['deleted']:,} deleted"
        ]
    )
