"""How many large renders one viewer may have under way: nobody takes the whole pool.

What the edge has costs nothing and is not limited; nor are tiles and small derivatives.
"""

import ipaddress
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from vitrine.deliver.http.exchange import Request
from vitrine.errors import TooManyRenders

ADDRESS_HEADER = "x-viewer-address"
"""Set by the edge's function and passed on by nginx; what a client sends under it is replaced."""
_SUBSCRIBER_BITS = 64
"""Of an IPv6 address: the rest of it a viewer chooses."""


class ViewerLimit:
    """Counts different renders: many who ask for one are served by one. One event loop's own."""

    def __init__(self, at_once: int) -> None:
        """`at_once` 0: no limit."""
        self._at_once = at_once
        self._renders: dict[str, Counter[str]] = {}

    @contextmanager
    def admission(self, request: Request, render: str) -> Iterator[None]:
        """Let the request's viewer have `render` (its canonical address) under way until the exit.

        Raises TooManyRenders. Who came without an address, past the edge, is not limited.
        """
        viewer = viewer_of(request)
        if not self._at_once or not viewer:
            yield
            return
        renders = self._renders.setdefault(viewer, Counter())
        if render not in renders and len(renders) >= self._at_once:
            raise TooManyRenders(f"{len(renders)} large images are being made for you: try again")
        renders[render] += 1
        try:
            yield
        finally:
            self._leave(viewer, render)

    def _leave(self, viewer: str, render: str) -> None:
        renders = self._renders[viewer]
        renders[render] -= 1
        if not renders[render]:
            del renders[render]
        if not renders:
            del self._renders[viewer]


def viewer_of(request: Request) -> str:
    """Who asks: an IPv4 address or an IPv6 subscriber's network, "" for what is neither."""
    text = request.headers.get(ADDRESS_HEADER) or ""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((int(address), _SUBSCRIBER_BITS), strict=False))
