"""`vitrine site publish`: put the page into an environment's site bucket."""

from pathlib import Path
from typing import Annotated

import typer

from vitrine.bootstrap.deployed_services import deployed_desk, deployed_publish_settings, has_mcp
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_lines
from vitrine.cli.console.program import new_group
from vitrine.local.site_bundle import open_site_files
from vitrine.site.static_files import publish_site, write_robots


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Publish the first page, and what all pages share.")
    group.command("publish")(publish)
    app.add_typer(group, name="site")


Theme = Annotated[
    Path | None,
    typer.Option(
        help="Look and texts of the site, a TOML file. It stays until another one is published.",
        exists=True,
        dir_okay=False,
        metavar="FILE",
    ),
]


def publish(theme: Theme = None, environment: Environment = DEFAULT) -> None:
    """Upload what all pages share: once, and after each deployment that changed it.

    Pages of objects have their new look after `vitrine object rebuild`; colours and fonts at once.

    Exit code 0: done. 1: the theme cannot be used. 2: the service is not running.
    """
    with connected(environment) as service:
        settings = deployed_publish_settings(environment)
        robots = write_robots(service.edge_url, settings.crawlers, settings.content_usage)
        with open_site_files() as files:
            count = publish_site(
                service.site,
                files.site,
                files.viewer,
                files.others,
                robots,
                service.edge_url,
                theme,
                deployed_desk(environment),
                has_mcp=has_mcp(environment),
            )
    print_lines([f"{count} files published at {service.edge_url}/"])
