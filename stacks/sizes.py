"""How large what runs is: Lambdas that convert, tasks that convert, tasks that serve images."""

from dataclasses import dataclass

IMAGE_RESERVE_GIBIBYTES = 4
"""Part of an image task's disk that unpacked container images and temporary files take."""


@dataclass(frozen=True, kw_only=True)
class ImageTaskSize:
    """Size and number of the tasks that serve images."""

    cpu_units: int
    """1024 are one vCPU."""
    memory_mebibytes: int
    disk_gibibytes: int
    """20 are free, more than 20 must be at least 21."""
    minimum: int
    maximum: int
    spot_share_percent: int = 0
    """Share of the tasks beyond `minimum` that run on Fargate Spot."""

    @property
    def cores(self) -> int:
        """Whole virtual CPUs, at least one."""
        return max(1, self.cpu_units // 1024)

    @property
    def usable_disk_mebibytes(self) -> int:
        """Disk for caches; container images and temporary files take the rest."""
        return (self.disk_gibibytes - IMAGE_RESERVE_GIBIBYTES) * 1024


@dataclass(frozen=True, kw_only=True)
class ConverterSize:
    """Size of a Lambda that converts masters, and how many may run at once."""

    memory_mebibytes: int
    """1,769 are one virtual CPU."""
    disk_mebibytes: int
    at_once: int
    """Reserved: no other function of the account gets these."""

    @property
    def usable_memory_mebibytes(self) -> int:
        """What one conversion may need: the runtime and its extensions take the rest."""
        return self.memory_mebibytes * 9 // 10

    @property
    def usable_disk_mebibytes(self) -> int:
        """What one conversion may write: the file system takes the rest."""
        return self.disk_mebibytes * 19 // 20


@dataclass(frozen=True, kw_only=True)
class GiantConverter:
    """Size of a Fargate task that converts what no Lambda can hold, and how many may run at once.

    None runs, and nothing is paid, unless there is such a master.
    """

    cpu_units: int
    """1024 are one vCPU."""
    memory_mebibytes: int
    disk_gibibytes: int
    """21 to 200."""
    at_once: int
    """Fargate's quota of vCPUs is shared with the tasks that serve images."""

    def __post_init__(self) -> None:
        """Raises ValueError for what Fargate does not offer."""
        if not 21 <= self.disk_gibibytes <= 200:
            raise ValueError(f"{self.disk_gibibytes} GiB of disk are not 21 to 200")

    @property
    def usable_memory_mebibytes(self) -> int:
        """What one conversion may need: the system takes the rest."""
        return self.memory_mebibytes * 9 // 10

    @property
    def usable_disk_mebibytes(self) -> int:
        """What one conversion may write: container image and file system take the rest."""
        return (self.disk_gibibytes - 5) * 1024 * 19 // 20
