"""What a master may measure at most."""

from dataclasses import dataclass

GIBIBYTE = 1024**3


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What may be spent on one master."""

    pixels: int
    """Of the largest page."""
    bytes: int
    """Of the file."""
    pages: int = 1_000
    memory_bytes: int = 10 * GIBIBYTE
    """Of a conversion, as `vitrine.ingest.estimate` foresees it."""
    small_memory_bytes: int = 1 * GIBIBYTE
    """Up to which a conversion runs on the small Lambda."""
    small_disk_bytes: int = 1 * GIBIBYTE
    disk_bytes: int = 10 * GIBIBYTE
    """Of a conversion: the master, the access master and what lies between."""
