"""A first look at each picture of the sample, in a real browser: few requests and few bytes."""

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser

from tests.e2e.first_looks import SCREENS, list_pictures, look
from vitrine.local.sample.wallpapers import gather_wallpapers

if TYPE_CHECKING:
    from conftest import Service


@pytest.fixture(scope="module")
def edge_url(service: "Service") -> str:
    done = service.run("collection", "publish", gather_wallpapers())
    assert done.returncode == 0, done.stdout + done.stderr
    return service.addresses.edge_url


@pytest.mark.parametrize("screen", SCREENS)
def test_a_first_look_is_small(browser: Browser, edge_url: str, screen: str) -> None:
    looks = [look(browser, edge_url, picture, screen) for picture in list_pictures()]
    assert looks
    assert [one for one in looks if not one.is_good] == []
