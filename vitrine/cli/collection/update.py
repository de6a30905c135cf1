"""`vitrine collection update`: harvest what changed, and publish it, as a schedule does."""

import typer

from vitrine.cli.collection.display import harvested_lines
from vitrine.cli.collection.file import Rules, usable
from vitrine.cli.collection.harvest import PrivateToo, harvest_logged
from vitrine.cli.collection.publish import publish_table
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import UNSUCCESSFUL, AsJson
from vitrine.sources.harvest.harvest_log import log_published
from vitrine.sources.harvest.lock import take_turn
from vitrine.sources.mapping.mapping_reader import read_mapping


def update(
    rules: Rules,
    private_too: PrivateToo = False,
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Harvest what changed, and publish it: `harvest` and `publish` in one, for a timer.

    If the server cannot be used, nothing is published. One update of a collection runs at a time;
    a second one says so, and changes nothing. `vitrine collection harvests` lists them.

    Exit code 0: all that changed is published. 1: some of it could not be fetched or published. 2:
    the file or the server is not usable, another update runs, or the service is not running.
    """
    with usable(), connected(environment) as service:
        mapping = read_mapping(rules)
        with take_turn(mapping.table):
            harvested = harvest_logged(
                mapping, everything=False, private_too=private_too, quiet=as_json
            )
            published = publish_table(rules, service, environment, quiet=as_json)
            log_published(mapping.table, published.counts())
    if as_json:
        print_json({"harvest": harvested.as_json(), "publication": published.as_json()})
    else:
        print_lines(harvested_lines(str(mapping.table), harvested))
        print_lines(published.lines(service.edge_url))
    if harvested.failures or not published.is_complete:
        raise typer.Exit(UNSUCCESSFUL)
