"""`vitrine collection index`: the searches and the lists of facets are brought up to date."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any

import typer

from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.collection.display import show_progress
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson
from vitrine.search.full_text.update import FullTextUpdate, update_full_text
from vitrine.search.titles.update import SearchUpdate, update_search
from vitrine.store.changed_publications import TextIndexes
from vitrine.store.omissions import RUNBOOK


@dataclass(frozen=True)
class IndexUpdate:
    """What became of both indexes: of titles and descriptions, and of the texts of pages."""

    search: SearchUpdate
    full_text: FullTextUpdate

    def as_json(self) -> dict[str, Any]:
        """Return a document for machines."""
        return {**vars(self.search), "full_text": vars(self.full_text)}


def index(
    everything: Annotated[
        bool,
        typer.Option("--everything", help="Read all objects and write all files again."),
    ] = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Bring the site's search, in titles and in texts, and its lists of facets up to date.

    `publish` does this at its end, and a Lambda some minutes after each change; this does it at
    once. Only what changed since the last time is read, and only files that differ are written.

    Exit code 0: written, or up to date. 2: the service is not running.
    """
    with connected(environment) as service:
        done = update_index(service, everything=everything, quiet=as_json)
    if as_json:
        print_json(done.as_json())
    else:
        print_lines(index_lines(service.edge_url, done))


def update_index(
    service: Deployment, *, everything: bool = False, quiet: bool = False
) -> IndexUpdate:
    """Bring the searches and facets of a service up to date. Raises TransientError."""
    noted: TextIndexes = {}
    with show_progress("index", None, quiet=quiet) as on_progress:
        search = update_search(
            service.site,
            service.edge_url,
            everything=everything,
            on_progress=on_progress,
            texts=noted,
        )
    with show_progress("texts", None, quiet=quiet) as on_progress:
        full_text = update_full_text(
            service.site,
            everything=everything,
            most_seconds=inf,
            on_progress=on_progress,
            texts=noted,
        )
    return IndexUpdate(search, full_text)


def index_lines(edge_url: str, done: IndexUpdate) -> Iterator[str]:
    """Yield what became of the searches."""
    search, full_text = done.search, done.full_text
    yield (
        f"Search over {search.objects:,} objects: {search.read:,} were read, "
        f"{search.written:,} files were written"
    )
    if search.left_out:
        yield f"  {search.left_out:,} are left out: {RUNBOOK}"
    if full_text.objects or full_text.removed:
        yield (
            f"Search in the texts of {full_text.objects:,} objects with {full_text.pages:,} pages: "
            f"{full_text.added:,} were added, {full_text.removed:,} removed"
        )
    if full_text.left_out:
        yield f"  {full_text.left_out:,} are left out: {RUNBOOK}"
    yield f"  {edge_url}/search"
