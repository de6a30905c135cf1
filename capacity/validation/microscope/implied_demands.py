"""What table 7 itself says of the demands behind it, by the utilisation law.

With N users, response time R, think time Z and utilisation U of a device, each request asks
U (R + Z) / N seconds of that device. No simulation is needed to see this.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from capacity.validation.microscope import published_tables as published


@dataclass(frozen=True)
class Demands:
    """Seconds per request that a row of table 7 implies; `factor` is to the printed formula."""

    hit_rate: float
    clients: int
    server: float
    proxy: float
    factor: float


def implied_demands(think: float) -> list[Demands]:
    """Return the demands behind each row of table 7."""
    formula = printed_server_demand()
    rows = []
    for row, (hit_rate, clients) in enumerate(published.CORNERS):
        response, server, proxy = (float(values[row]) for values in published.TABLE_7.values())
        cycle = (response + think) / clients
        factor = server * cycle / (formula * (1 - hit_rate))
        rows.append(Demands(hit_rate, clients, server * cycle, proxy * cycle, factor))
    return rows


def printed_server_demand() -> float:
    """Mean of the printed formula over the printed workload (tables 3 and 4), at 0 % hits.

    Small requests cost two blocks, as the proxy asks for them.
    """
    small = 2 * published.BLOCK_BYTES
    return fsum(
        share
        * (
            large * published.server_seconds(zoom, published.LARGE_BYTES)
            + (1 - large) * published.server_seconds(zoom, small)
        )
        for zoom, share in stationary_zooms().items()
        for large in (published.LARGE_PROBABILITY[zoom],)
    )


def stationary_zooms() -> Mapping[int, float]:
    """Return how often each zoom is asked for in the long run of table 3."""
    shares = dict.fromkeys(published.ZOOMS, 1 / len(published.ZOOMS))
    for _ in range(1000):
        shares = {
            zoom: fsum(shares[last] * published.NEXT_ZOOM[last][place] for last in published.ZOOMS)
            for place, zoom in enumerate(published.ZOOMS)
        }
    return shares
