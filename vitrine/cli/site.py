"""`vitrine site publish`: put the page into an environment's site bucket."""

import typer

from vitrine.bootstrap.deployed_services import deployed_publish_settings
from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.cli.printing import print_lines
from vitrine.cli.program import new_group
from vitrine.local.up import SITE, VIEWER
from vitrine.present.site import publish_site, write_robots


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Publish the page with the gallery.")
    group.command("publish")(publish)
    app.add_typer(group, name="site")


def publish(environment: Environment = DEFAULT) -> None:
    """Upload the page and its viewer: once, and after each deployment that changed them.

    Exit code 0: done. 2: the service is not running.
    """
    with connected(environment) as service:
        settings = deployed_publish_settings(environment)
        robots = write_robots(service.edge_url, settings.crawlers, settings.content_usage)
        count = publish_site(service.site, SITE, VIEWER, robots, service.edge_url)
    print_lines([f"{count} files published at {service.edge_url}/"])
