"""`vitrine-loadtest clear-caches`: what a measurement wants gone before it begins."""

from loadtest.rigs.local_caches import clear_derivatives, clear_edge
from vitrine.bootstrap.local_service import LocalService, local_directory
from vitrine.cli.environment import stop


def clear() -> None:
    """Empty the edge's cache and that of derivatives, while the service runs.

    Blocks of access masters stay: the gateway holds their files open, and `make down` and
    `make up` begin without them. On AWS, `vitrine invalidate --all -e NAME` does what can be done.
    """
    directory = local_directory()
    if LocalService.load(directory) is None:
        stop("The service is not running: start it with `make up`.")
    print(f"Edge         {clear_edge(directory):,} answers removed")
    print(f"Derivatives  {clear_derivatives(directory):,} removed")
    print("Blocks of access masters stay while the gateway runs: `make down`, then `make up`.")
