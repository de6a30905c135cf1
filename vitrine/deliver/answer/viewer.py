"""The address of a viewer, as the edge writes it."""

import ipaddress

from vitrine.deliver.http.exchange import Request

ADDRESS_HEADER = "x-viewer-address"
"""Set by the edge's function and passed on by nginx; what a client sends under it is replaced."""
_SUBSCRIBER_BITS = 64
"""Prefix of an IPv6 address: a viewer chooses the rest."""


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
