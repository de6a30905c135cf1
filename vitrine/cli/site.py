"""`vitrine site publish`: put the page into an environment's site bucket."""

import typer

from vitrine.cli.environment import DEFAULT, Environment, connected
from vitrine.local.up import SITE, VIEWER
from vitrine.present.site import publish_site


def register(app: typer.Typer) -> None:
    """Add the verb group."""
    group = typer.Typer(name="site", help="The page with the gallery.", no_args_is_help=True)
    group.callback()(_group)
    group.command("publish")(publish)
    app.add_typer(group)


def _group() -> None:
    """The page with the gallery."""


def publish(environment: Environment = DEFAULT) -> None:
    """Upload the page and its viewer; once after each deployment that changed them."""
    with connected(environment) as service:
        count = publish_site(service.site, SITE, VIEWER)
    print(f"{count} files published: {service.edge_url}/")
