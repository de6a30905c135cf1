"""Who a viewer is."""

import pytest

from vitrine.deliver.answer.viewer import identify_viewer
from vitrine.deliver.http.exchange import Request


@pytest.mark.parametrize(
    ("address", "viewer"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::7", "2001:db8:1:2::/64"),
        ("192.0.2.1, 192.0.2.2", ""),
        ("unknown", ""),
    ],
)
def test_an_ipv6_subscriber_is_one_viewer(address: str, viewer: str) -> None:
    request = Request(method="GET", path="/", headers={"x-viewer-address": address})
    assert identify_viewer(request) == viewer
