"""`vitrine-loadtest clear-caches`: empty caches, so that a measurement begins cold."""

from loadtest.servers.local_caches import clear_derivatives, clear_edge
from vitrine.bootstrap.local_service import LocalService, local_directory
from vitrine.cli.console.program import stop


def clear_caches() -> None:
    """Empty the caches of the edge and of derivatives on this machine, while the service runs.

    Blocks of access masters stay, since the gateway holds their files open: run `make down` and
    `make up` to be rid of them. On AWS, `vitrine edge invalidate --all -e NAME` clears the edge.

    Exit code 0: done. 2: the service is not running.
    """
    directory = local_directory()
    if LocalService.load(directory) is None:
        stop("The service is not running: start it with `make up`.")
    print(f"Edge         {clear_edge(directory):,} answers removed")
    print(f"Derivatives  {clear_derivatives(directory):,} removed")
    print("Blocks of access masters stay while the gateway runs: `make down`, then `make up`.")
