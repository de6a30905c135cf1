"""`python -m vitrine.deliver`: the gateway, its settings read from the environment."""

import os

from vitrine.bootstrap.gateway import access_master_store, identifier_table, programs_cpu
from vitrine.deliver.http.server import serve
from vitrine.deliver.service import GatewayService
from vitrine.settings import DeliverSettings


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    settings = DeliverSettings.from_environment(os.environ)
    serve(
        settings,
        lambda seat: GatewayService(
            settings,
            store=access_master_store(settings),
            table=identifier_table(settings),
            seat=seat,
            programs=programs_cpu(settings),
        ),
    )


if __name__ == "__main__":
    main()
