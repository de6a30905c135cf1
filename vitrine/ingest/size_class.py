"""On which Lambda a master is converted, decided from what its header says it will need.

small   most masters: one virtual CPU, little disk, few dollars
large   the largest Lambda of the environment
giant   more than that: rejected from the header (`vitrine.ingest.estimate.check_estimate`)
"""

from enum import StrEnum

from vitrine.ingest.estimate import Estimate
from vitrine.ingest.limits import Limits


class SizeClass(StrEnum):
    """The classes that are converted. Their names stand in messages and names of states."""

    SMALL = "small"
    LARGE = "large"


def size_class(needs: Estimate, limits: Limits) -> SizeClass:
    """The least class that has room for `needs`, which `limits` allow."""
    rooms = {
        SizeClass.SMALL: (limits.small_memory_bytes, limits.small_disk_bytes),
        SizeClass.LARGE: (limits.memory_bytes, limits.disk_bytes),
    }
    for name, (memory, disk) in rooms.items():
        if needs.memory_bytes <= memory and needs.disk_bytes <= disk:
            return name
    return SizeClass.LARGE
