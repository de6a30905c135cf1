"""The limit of large renders that one viewer may have under way: none takes the whole pool.

Answers from the edge cost nothing and are not limited, nor are tiles and small derivatives.
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
"""Prefix of an IPv6 address: a viewer chooses the rest."""


class ViewerLimit:
    """Counts different renders: requests for the same one share it. Belongs to one event loop."""

    def __init__(self, at_once: int) -> None:
        """Allow `at_once` renders per viewer; 0 means no limit."""
        self._at_once = at_once
        self._renders: dict[str, Counter[str]] = {}

    @contextmanager
    def admission(self, request: Request, render: str) -> Iterator[None]:
        """Admit one render of the request's viewer, which is under way until the exit.

        `render` is its canonical address. Raises TooManyRenders. A request without a viewer's
        address, which did not pass the edge, is not limited.
        """
        viewer = identify_viewer(request)
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
            self._end_render(viewer, render)

    def _end_render(self, viewer: str, render: str) -> None:
        renders = self._renders[viewer]
        renders[render] -= 1
        if not renders[render]:
            del renders[render]
        if not renders:
            del self._renders[viewer]


def identify_viewer(request: Request) -> str:
    """Return the viewer's IPv4 address or IPv6 network, "" if the header has neither."""
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
