"""Answers that nginx keeps in memory, by their addresses, while the gateway would not look again.

A tile, image information, an image's own manifest or a small derivative that is requested a second
time within the lifetime of a record is kept until that record is read again, and until then nginx
answers without the gateway. So nothing that it keeps is staler than an answer of the gateway can
be, and nothing needs to be purged: a withdrawn, moved or replaced image is noticed as quickly as
without it. Only answers about images that everybody may see whole, and that need no wait for their
record, are kept; whatever else has the same address, an error too, passes.
"""

from vitrine.deliver.answer.derivative_disk import DerivativeDisk
from vitrine.deliver.answer.kept_answers import SMALL_ANSWERS
from vitrine.deliver.http.exchange import Headers

_HEADER = "x-accel-expires"
MIN_SECONDS = 2
"""An answer that could be kept for less is not worth the write."""


def keep_by_address(seconds: int) -> Headers:
    """Return the header that has nginx keep an answer for `seconds`; none for 0."""
    return ((_HEADER, str(seconds)),) if seconds else ()


class AddressCache:
    """Says for how long nginx may keep an answer."""

    def __init__(self, disk: DerivativeDisk, is_on: bool) -> None:
        self._disk = disk
        self._is_on = is_on

    def seconds(self, seconds: float, size: int = 0) -> int:
        """Return for how long nginx may keep an answer that holds for `seconds`; 0: not at all.

        `size` is that of its body, in bytes.

        nginx counts whole seconds by the clock, and uses an answer to the end of its last one: up
        to a second longer than the header says.
        """
        whole = int(seconds) - 1
        if not self._is_on or whole < MIN_SECONDS or size > SMALL_ANSWERS.max_bytes:
            return 0
        return whole if self._disk.is_writable() else 0

    def life(self, seconds: float, size: int) -> bytes:
        """Return the line of a head that has nginx keep an answer for that long, or b""."""
        kept = self.seconds(seconds, size)
        return b"x-accel-expires: %d\r\n" % kept if kept else b""
