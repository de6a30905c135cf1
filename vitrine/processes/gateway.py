"""The gateway, its settings read from the environment."""

import os

from vitrine.bootstrap.gateway import (
    access_master_store,
    identifier_table,
    programs_cpu,
    records_store,
    site_store,
)
from vitrine.deliver.server.serve import serve
from vitrine.deliver.service import GatewayService
from vitrine.settings.deliver import DeliverSettings


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    settings = DeliverSettings.from_environment(os.environ)
    # Made once, before the processes are forked: it takes a second, and opens no connection.
    store, site = access_master_store(settings), site_store(settings)
    table, records = identifier_table(settings), records_store(settings)
    programs = programs_cpu(settings)
    serve(
        settings,
        lambda load: GatewayService(
            settings,
            store=store,
            site=site,
            table=table,
            records=records,
            programs=programs,
            load=load,
        ),
    )


if __name__ == "__main__":
    main()
