"""What a client that waits holds on a render: when it goes away, the work ends."""

from typing import Any


class Abandoned(Exception):
    """Nobody waits for the result any more."""


class Job:
    """One render in a thread. `cancel` may come from another thread, at any time."""

    def __init__(self) -> None:
        self._cancelled = False
        self._image: Any = None

    def cancel(self) -> None:
        """End the work soon: at its next row of tiles, or within libvips' next strip."""
        self._cancelled = True
        if self._image is not None:
            self._image.set_kill(True)

    def check(self) -> None:
        """Raises Abandoned when the job was cancelled."""
        if self._cancelled:
            raise Abandoned

    def watch(self, image: Any) -> Any:
        """`image`, a pyvips image about to be computed, which a cancellation now kills.

        Raises Abandoned.
        """
        self._image = image
        self.check()
        return image
