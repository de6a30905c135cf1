"""Where a master is converted, decided from what its header says it will need.

small   most masters: a Lambda with one virtual CPU, little disk, few dollars
large   the largest Lambda of the environment
giant   more memory, disk or time than that: a Fargate task, where the environment has them;
        a master too large for a task is rejected (`vitrine.ingest.inspect.estimate.check_estimate`)
"""

from enum import StrEnum
from typing import TYPE_CHECKING

# Every message imports this module; the Lambdas that only record or start read no headers.
if TYPE_CHECKING:
    from vitrine.ingest.inspect.estimate import Estimate
    from vitrine.ingest.inspect.limits import MasterLimits


class SizeClass(StrEnum):
    """Where a master is converted. The values occur in messages and names of states."""

    SMALL = "small"
    LARGE = "large"
    GIANT = "giant"


def size_class(needs: "Estimate", limits: "MasterLimits") -> SizeClass:
    """Return the smallest class that has room for `needs`, which `limits` allow."""
    rooms = {
        SizeClass.SMALL: (limits.small_memory_bytes, limits.small_disk_bytes),
        SizeClass.LARGE: (limits.large_memory_bytes, limits.large_disk_bytes),
    }
    in_time = needs.seconds <= limits.large_seconds or not limits.giants_at_once
    for name, (memory, disk) in rooms.items():
        if in_time and needs.memory_bytes <= memory and needs.disk_bytes <= disk:
            return name
    return SizeClass.GIANT if limits.giants_at_once else SizeClass.LARGE
