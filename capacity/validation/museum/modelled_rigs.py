"""The three test rigs as we model them, and the variants that show what each part explains.

The machine had 8 vCPU (section 3.2.2), which are 4 cores with two hardware threads each.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType

from capacity.engine.stations import Cores
from capacity.validation.museum.calibrate_museum import Statistic
from capacity.validation.museum.museum_model import ModelledRig

CORES = Cores(4, gain=1.22)
"""Cores whose gain by a second thread is assumed (docs/adr/0013): "no second threads" shows what it
changes."""

OVERHEAD_MS = 2.0
"""nginx and the kernel: the fastest answers of all tables took 2 ms."""

LINK = 100e6 / 8 * 1448 / 1500
"""Bytes per second of images through 100 Mbit/s: 1,448 of each packet's 1,500 are payload."""

NGINX_TIMEOUT = 60.0
JETTY_THREADS = 200
"""Both are defaults."""

IIPSRV = ModelledRig(workers=6, places=1, cores=CORES, overhead_ms=OVERHEAD_MS, link=LINK)
"""Six containers with one process each, behind nginx taking turns (section 3.2.3)."""

CANTALOUPE = ModelledRig(1, JETTY_THREADS, CORES, OVERHEAD_MS, LINK, NGINX_TIMEOUT)
"""One Java process with a pool of threads."""

NAIVE = ModelledRig(workers=6, places=1, cores=Cores(6))
"""Six servers that share nothing: what the number of containers suggests."""

MODEL = "the model"
SIX_FREE = "six free servers"


@dataclass(frozen=True)
class Setup:
    """A server as tested: its rig, what its demands are fitted to, and what we promise.

    Bounds in percent of what was measured at 100 and at 1,000 connections. `variants` change the
    rig; they are shown next to it, and promise nothing.
    """

    rig: ModelledRig
    statistic: Statistic
    throughput_bound: float
    response_bound: float
    variants: MappingProxyType[str, ModelledRig]


SETUPS = MappingProxyType(
    {
        "iipsrv-ptiff": Setup(
            IIPSRV,
            "median",
            5,
            10,
            MappingProxyType({"without the link": replace(IIPSRV, link=None), SIX_FREE: NAIVE}),
        ),
        "iipsrv-jp2": Setup(
            IIPSRV,
            "median",
            15,
            15,
            MappingProxyType(
                {
                    "no second threads": replace(IIPSRV, cores=Cores(4)),
                    SIX_FREE: NAIVE,
                }
            ),
        ),
        "cantaloupe-jp2": Setup(
            CANTALOUPE,
            "average",
            10,
            10,
            MappingProxyType({"no limit of threads": replace(CANTALOUPE, places=1000)}),
        ),
    }
)
