"""The rows of the report's tables: classes of sources by sizes of derivatives."""

from loadtest.studies.museum.museum_servers import MeasuredServer
from loadtest.workload.models.report_matrix import CLASSES, WEIGHTS

ANY = "any"
"""The row over all requests."""
KINDS = [f"{name} {size}" for name in CLASSES for size in WEIGHTS["tables"]]
"""The twelve rows, as the generator calls them."""


def kinds_of(server: MeasuredServer) -> list[str]:
    """Return the rows that this server's images fill."""
    present = {name for name, bounds in CLASSES.items() if server.images.between(*bounds)}
    return [kind for kind in KINDS if kind.partition(" ")[0] in present]
