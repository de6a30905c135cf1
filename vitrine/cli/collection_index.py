"""`vitrine collection index`: the search and the lists of facets are brought up to date."""

from collections.abc import Iterator
from typing import Annotated

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.collection_display import show_progress
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.printing import print_json, print_lines
from vitrine.cli.program import AsJson
from vitrine.present.search.update import SearchUpdate, update_search


def index(
    everything: Annotated[
        bool,
        typer.Option("--everything", help="Read all objects and write all files again."),
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Bring the site's search and its lists of facets up to date.

    `publish` does this at its end, and a Lambda some minutes after each change; this does it at
    once. Only what changed since the last time is read, and only files that differ are written.

    Exit code 0: written, or up to date. 2: the service is not running.
    """
    with connected(environment) as service:
        done = update_index(service, everything=everything, quiet=as_json)
    if as_json:
        print_json(vars(done))
    else:
        print_lines(index_lines(service.edge_url, done))


def update_index(
    service: Deployment, *, everything: bool = False, quiet: bool = False
) -> SearchUpdate:
    """Bring search and facets of a service up to date, with progress. Raises TransientError."""
    with show_progress("index", None, quiet=quiet) as on_progress:
        return update_search(
            service.site, service.edge_url, everything=everything, on_progress=on_progress
        )


def index_lines(edge_url: str, done: SearchUpdate) -> Iterator[str]:
    """Yield what became of the search."""
    yield (
        f"Search over {done.objects:,} objects: {done.read:,} were read, {done.written:,} files "
        "were written"
    )
    yield f"  {edge_url}/search"
