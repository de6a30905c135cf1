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
    """Of a conversion, as `vitrine.ingest.inspect.estimate` foresees it; more is rejected."""
    small_memory_bytes: int = 1 * GIBIBYTE
    """Up to which a conversion runs on the small Lambda."""
    small_disk_bytes: int = 1 * GIBIBYTE
    disk_bytes: int = 10 * GIBIBYTE
    """Of a conversion: the master, the access master and what lies between."""
    large_memory_bytes: int = 10 * GIBIBYTE
    """Up to which a conversion runs on the large Lambda; beyond, in a task."""
    large_disk_bytes: int = 10 * GIBIBYTE
    large_seconds: float = 800
    """Lambda ends what takes 900 s."""
    giants_at_once: int = 0
    """Tasks that convert at a time; 0: there are none."""
    giant_seconds: int = 86_400
    """How long the conversion of one giant may take with all its tries."""
