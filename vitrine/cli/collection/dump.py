"""`vitrine collection dump`: all objects with their addresses in one file, and sitemaps."""

from collections.abc import Iterator
from typing import Annotated

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.collection.display import show_progress
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson
from vitrine.site.dumps.files import OBJECTS_CSV, OBJECTS_JSONL, SITEMAP
from vitrine.site.dumps.update import DumpUpdate, update_dumps
from vitrine.store.omissions import RUNBOOK


def dump(
    everything: Annotated[
        bool, typer.Option("--everything", help="Read all objects again, also unchanged ones.")
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Write all objects and collections with their addresses into one file, and sitemaps.

    For machines that want everything: JSON Lines and CSV, compressed, at the edge; robots.txt names
    them. `publish` does this at its end, and a Lambda looks every hour; this does it at once. Only
    what changed since the last dump is read.

    Exit code 0: written, or up to date. 2: the service is not running.
    """
    with connected(environment) as service:
        done = write_dumps(service, everything=everything, quiet=as_json)
    if as_json:
        print_json(vars(done))
    else:
        print_lines(dump_lines(service.edge_url, done))


def write_dumps(
    service: Deployment, *, everything: bool = False, quiet: bool = False
) -> DumpUpdate:
    """Bring the dumps of a service up to date, with progress. Raises TransientError."""
    with show_progress("dump", None, quiet=quiet) as on_progress:
        return update_dumps(
            service.site, service.edge_url, everything=everything, on_progress=on_progress
        )


def dump_lines(edge_url: str, done: DumpUpdate) -> Iterator[str]:
    """Yield what became of the dumps, and where they are."""
    state = "written" if done.written else "up to date"
    yield f"Dumps of {done.objects:,} objects: {state}, {done.read:,} were read"
    if done.left_out:
        yield f"  {done.left_out:,} are left out: {RUNBOOK}"
    if done.written:
        yield from (f"  {edge_url}/{key}" for key in (OBJECTS_JSONL, OBJECTS_CSV, SITEMAP))
