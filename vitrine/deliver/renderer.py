"""The port of what turns pixels of a local access master into a JPEG."""

from pathlib import Path
from typing import Protocol

from vitrine.identify.record import Live
from vitrine.iiif.request import ResolvedRequest


class Renderer(Protocol):
    """Renders resolved requests."""

    async def render(self, image: Live, path: Path, request: ResolvedRequest) -> bytes:
        """A whole JPEG of exactly the size asked. Raises Unavailable."""
        ...

    async def check(self) -> None:
        """Raises Unavailable when nothing could be rendered now."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
