"""What CS-TR-3970 prints: inputs (tables 3 to 5, figures 7 to 12) and results (tables 7 and 8).

Times in seconds.
"""

from dataclasses import dataclass
from types import MappingProxyType

ZOOMS = (8, 4, 2, 1)
"""From the lowest resolution to the highest; a client starts at the first."""

NEXT_ZOOM = MappingProxyType(
    {
        8: (0.65, 0.35, 0.00, 0.00),
        4: (0.02, 0.68, 0.18, 0.12),
        2: (0.00, 0.05, 0.50, 0.45),
        1: (0.15, 0.04, 0.08, 0.73),
    }
)
"""Table 3: probabilities of the next zoom, in the order of `ZOOMS`."""

LARGE_PROBABILITY = MappingProxyType({8: 0.99, 4: 0.99, 2: 0.92, 1: 0.70})
"""Table 4: how often a request is for 3 MB and not for 300 KB."""

LARGE_BYTES = 3 * 1024**2
SMALL_BYTES = 300 * 1024
BLOCK_BYTES = 256 * 1024
REQUESTS_PER_CLIENT = 200

CLIENTS = (1, 2, 4, 8, 10, 20, 30)
HIT_RATES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Table 2: the levels of the factors; a hit rate supposes the proxy."""


@dataclass(frozen=True)
class Normal:
    """Mean and standard deviation."""

    mean: float
    deviation: float


PROXY_REQUEST = Normal(0.000185, 0.000024)
PROXY_HIT = Normal(0.000076, 0.000007)
PROXY_MISS = Normal(0.000142, 0.000009)
PROXY_SEND = Normal(0.289, 0.028)
PROXY_RECEIVE = Normal(0.204, 0.023)
"""Table 5: what the proxy spends on a request, a block, a reply to send, one to receive."""

DISPLAY = Normal(1.15864, 0.174)
"""Figure 6."""

LAN_REQUEST = 0.000975
LAN_REQUEST_SLOW = 0.001950
LAN_REQUEST_SLOW_PROBABILITY = 0.1
LAN_SMALL = Normal(0.9953, 0.005683)
LAN_LARGE = Normal(7.37, 0.0307)
"""Figures 7 to 9: round trips of 100 bytes, 300 KB and 3 MB."""

WAN_REQUEST = 0.71
WAN_SMALL_PEAK = 3.75
WAN_LARGE_PEAK = 32.9
"""Figures 10 to 12: round trips; the histograms are drawn only, their peaks are printed."""


def server_seconds(zoom: int, size: float) -> float:
    """Apply the printed formula: service time of a request for `size` bytes at a zoom."""
    return (zoom**2 * 0.0304 + 0.1921) * size / LARGE_BYTES


METRICS = MappingProxyType(
    {
        "response": "response time, s",
        "server": "server utilisation",
        "proxy": "proxy utilisation",
    }
)

CORNERS = ((0.75, 1), (0.0, 1), (0.75, 30), (0.0, 30))
"""Table 6: hit rate and clients of each row of table 7, factor A (hit rate) changing fastest."""

TABLE_7 = MappingProxyType(
    {
        "response": ("11.28", "29.29", "249.92", "683.71"),
        "server": ("0.0875", "0.181", "0.232", "0.323"),
        "proxy": ("0.0953", "0.0938", "0.252", "0.167"),
    }
)
"""Means as printed. Their printed 90 % intervals are all the mean divided by the root of ten."""

TABLE_8_EFFECTS = MappingProxyType(
    {
        "response": {"mean": "243.55", "A": "112.95", "B": "223.27", "AB": "103.95"},
        "server": {"mean": "0.206", "A": "0.046", "B": "0.072", "AB": "-0.00063"},
        "proxy": {"mean": "0.15", "A": "-0.022", "B": "0.058", "AB": "-0.021"},
    }
)
TABLE_8_VARIATION = MappingProxyType(
    {
        "response": {"A": "17.38", "B": "67.90", "AB": "14.72"},
        "server": {"A": "29.31", "B": "70.68", "AB": "0.0054"},
        "proxy": {"A": "11.12", "B": "78.53", "AB": "10.36"},
    }
)
