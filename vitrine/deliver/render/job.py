"""The hold that a waiting client has on a render: when the client disconnects, the work ends."""

from typing import Any


class Abandoned(Exception):
    """No client waits for the result any more."""


class RenderJob:
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
        """Raise Abandoned if the job was cancelled."""
        if self._cancelled:
            raise Abandoned

    def watch(self, image: Any) -> Any:
        """Return `image`, a pyvips image to be computed now, which a cancellation will kill.

        Raises Abandoned.
        """
        self._image = image
        self.check()
        return image
