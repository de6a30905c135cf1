"""Sizes of Lambdas that convert, of tasks that convert, and of tasks that serve images."""

from dataclasses import dataclass

IMAGE_RESERVE_MEBIBYTES = 5_376
"""Part of an image task's disk that is not for access masters.

Unpacked container images and temporary files may take 4 GiB of it. The rest, 1.25 GiB, is to spare:
so the cache has the size with which the committed results of the capacity model were computed
(`capacity/plan/deployed_designs.py`).
"""
FUNCTION_RESERVE_MEBIBYTES = 512
"""Part of an image function's disk that temporary files take."""


@dataclass(frozen=True, kw_only=True)
class ImageTaskSize:
    """Size and number of the tasks that serve images."""

    cpu_units: int
    """1,024 are one vCPU."""
    memory_mebibytes: int
    disk_gibibytes: int
    """20 cost nothing; anything above must be at least 21."""
    minimum: int
    maximum: int
    spot_share_percent: int = 0
    """Share of the tasks beyond `minimum` that run on Fargate Spot, each of which AWS may take back
    with its cache. No run of ADR 0015 needed such a task."""

    @property
    def cores(self) -> int:
        """Whole virtual CPUs, at least one."""
        return max(1, self.cpu_units // 1024)

    @property
    def gateway_processes(self) -> int:
        """One for each core, and a second one on a single core: any may fall (ADR 0017)."""
        return max(2, self.cores)

    @property
    def usable_disk_mebibytes(self) -> int:
        """Disk for caches; container images and temporary files take the rest."""
        return self.disk_gibibytes * 1024 - IMAGE_RESERVE_MEBIBYTES


@dataclass(frozen=True, kw_only=True)
class ConverterSize:
    """Size of a Lambda that converts masters, and how many may run at once."""

    memory_mebibytes: int
    """1,769 give one vCPU."""
    disk_mebibytes: int
    at_once: int | None = None
    """Reserved concurrency: no other function of the account gets it. None: it takes what is left,
    and executions wait for each other."""

    @property
    def usable_memory_mebibytes(self) -> int:
        """Memory for one conversion; the runtime and its extensions take the rest."""
        return self.memory_mebibytes * 9 // 10

    @property
    def usable_disk_mebibytes(self) -> int:
        """Disk for one conversion; the file system takes the rest."""
        return self.disk_mebibytes * 19 // 20


@dataclass(frozen=True, kw_only=True)
class GiantConverter:
    """Size of a Fargate task that converts what no Lambda can hold, and how many may run at once.

    Without such a master no task runs, and nothing is charged.
    """

    cpu_units: int
    """1,024 are one vCPU."""
    memory_mebibytes: int
    disk_gibibytes: int
    """21 to 200."""
    at_once: int
    """They share Fargate's quota of vCPUs with the tasks that serve images."""

    def __post_init__(self) -> None:
        """Raise ValueError for a disk that Fargate does not offer."""
        if not 21 <= self.disk_gibibytes <= 200:
            raise ValueError(f"disk_gibibytes must be 21 to 200, not {self.disk_gibibytes}")

    @property
    def usable_memory_mebibytes(self) -> int:
        """Memory for one conversion; the system takes the rest."""
        return self.memory_mebibytes * 9 // 10

    @property
    def usable_disk_mebibytes(self) -> int:
        """Disk for one conversion; container image and file system take the rest."""
        return (self.disk_gibibytes - 5) * 1024 * 19 // 20


@dataclass(frozen=True, kw_only=True)
class PhotoFunctionSize:
    """Size of the Lambda that takes photographs, one at a time, and how many may run at once.

    Nothing is charged while nobody sends one.
    """

    memory_mebibytes: int = 1_769
    """1,769 give one vCPU, and a photograph is decoded on one."""
    at_once: int | None = 20
    """Reserved concurrency, which bounds the bill too: beyond it senders get 503. None: it takes
    what the account has left."""

    def __post_init__(self) -> None:
        """Raise ValueError for a size in which a photograph has no room."""
        if not 1_024 <= self.memory_mebibytes <= 10_240:
            raise ValueError(f"memory_mebibytes must be 1,024 to 10,240: {self.memory_mebibytes}")


@dataclass(frozen=True, kw_only=True)
class ImageFunctionSize:
    """Size of the Lambda that serves images, one request at a time, and how many may run at once.

    Nothing is charged while nobody asks for an image.
    """

    memory_mebibytes: int
    """1,769 give one vCPU."""
    disk_mebibytes: int
    at_once: int | None
    """Reserved concurrency, which bounds the bill too: beyond it viewers get 429. None: it takes
    what the account has left."""

    def __post_init__(self) -> None:
        """Raise ValueError for a size that Lambda would only reject at deployment."""
        if not 1_024 <= self.memory_mebibytes <= 10_240:
            raise ValueError(f"memory_mebibytes must be 1,024 to 10,240: {self.memory_mebibytes}")
        if not 1_024 <= self.disk_mebibytes <= 10_240:
            raise ValueError(f"disk_mebibytes must be 1,024 to 10,240: {self.disk_mebibytes}")

    @property
    def cores(self) -> int:
        """Whole virtual CPUs, at least one."""
        return max(1, self.memory_mebibytes // 1_769)

    @property
    def cache_mebibytes(self) -> int:
        """Disk for access masters; what a large render writes takes the rest."""
        return self.disk_mebibytes - FUNCTION_RESERVE_MEBIBYTES
