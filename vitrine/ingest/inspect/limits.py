"""The limits of a master and of its conversion."""

from dataclasses import dataclass

GIBIBYTE = 1024**3


@dataclass(frozen=True, kw_only=True)
class MasterLimits:
    """Limits of one master."""

    pixels: int
    """Most pixels of the largest page."""
    bytes: int
    """Most bytes of the file."""
    pages: int = 1_000
    memory_bytes: int = 10 * GIBIBYTE
    """Most memory of a conversion, as `inspect.estimate` estimates it; more is rejected."""
    disk_bytes: int = 10 * GIBIBYTE
    """Most disk space of a conversion, the master included."""
    converter_memory_bytes: int = 10 * GIBIBYTE
    """Most memory of a conversion on this process's Lambda; more needs a larger converter."""
    converter_disk_bytes: int = 10 * GIBIBYTE
    converter_seconds: float = 800
    """Longest time of a conversion on a Lambda, which stops after 900 s."""
    giants_at_once: int = 0
    """Tasks that convert at a time; 0 where giants are not converted."""
    giant_seconds: int = 86_400
    """Longest time of one giant's conversion with all its tries."""
