"""Tiles that nginx keeps in memory, by their addresses, while the gateway would not look again.

A tile that is requested a second time within the lifetime of a record is kept until that record is
read again, and until then nginx answers without the gateway. So nothing that it keeps is staler
than an answer of the gateway can be, and nothing needs to be purged: a withdrawn, moved or replaced
image is noticed as quickly as without it. Only a tile that needs no wait is kept; whatever else has
the same address, an error too, passes.
"""

from vitrine.deliver.answer.derivative_disk import DerivativeDisk
from vitrine.deliver.answer.kept_answers import MAX_KEPT_BYTES

MIN_SECONDS = 2
"""A tile that could be kept for less is not worth the write."""


class TileCache:
    """Says for how long nginx may keep a tile."""

    def __init__(self, disk: DerivativeDisk, is_on: bool) -> None:
        self._disk = disk
        self._is_on = is_on

    def life(self, seconds: float, size: int) -> bytes:
        """Return the line of a head that has nginx keep a tile for at most `seconds`, or b"".

        `size` is that of its body, in bytes.

        nginx counts whole seconds by the clock, and uses an answer to the end of its last one: up
        to a second longer than the header says.
        """
        whole = int(seconds) - 1
        if not self._is_on or whole < MIN_SECONDS or size > MAX_KEPT_BYTES:
            return b""
        if not self._disk.is_writable():
            return b""
        return b"x-accel-expires: %d\r\n" % whole
