"""The gateway in a Lambda, its settings read from the environment."""

import time

import uvloop

from vitrine.bootstrap.gateway import (
    access_master_store,
    identifier_table,
    programs_cpu,
    records_store,
    site_store,
)
from vitrine.deliver.function.serve import serve_events
from vitrine.deliver.service import GatewayService
from vitrine.settings.deliver import DeliverSettings


def main() -> None:
    """Answer events until the environment ends."""
    uvloop.run(serve_events(deployed_service))


def deployed_service(settings: DeliverSettings) -> GatewayService:
    """Return the gateway with the buckets and the table of the settings."""
    return GatewayService(
        settings,
        store=access_master_store(settings),
        site=site_store(settings),
        table=identifier_table(settings),
        records=records_store(settings),
        programs=programs_cpu(settings),
        # A process that Lambda has stopped must not take an old record for a fresh one.
        clock=time.time,
    )


if __name__ == "__main__":
    main()
