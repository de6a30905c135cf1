"""Every link of the site answers 200 while masters are missing, rejected and withdrawn."""

import json
import re
import urllib.error
import urllib.request
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.integration.local.api_client import Api, letter, read_page, send
from tests.patience import until

if TYPE_CHECKING:
    from conftest import Service

TITLES = {
    "links-shown": "A letter that is shown",
    "links-early": "A letter that has a page before its image",
    "links-missing": "A letter whose file never came",
    "links-rejected": "A letter whose file was rejected",
    "links-withdrawn": "A letter that was withdrawn",
    "links-image-withdrawn": "A letter whose image was withdrawn",
}
LINK = re.compile(r'href="(/[^"#]*)')
PAGES = re.compile(r"/$|/(objects|collections|browse)\b")
MAX_PAGES = 2_000


@pytest.fixture(scope="module")
def api(service: "Service") -> Api:
    """The API as the desk calls it."""
    return Api(f"{service.addresses.edge_url}/api", None)


@pytest.fixture(scope="module", autouse=True)
def collection(api: Api) -> None:
    """A collection that lists all of these."""
    for name in ("links-shown", "links-withdrawn", "links-image-withdrawn"):
        assert send(api, f"links/{name}.png", name)["state"] == "published"
    rejected = send(api, "links/bad.png", "links-rejected", b"This is no image.")
    assert rejected["state"] == "rejected"
    for name, title in TITLES.items():
        record = letter(name, name, title) | {"page_before_images": name == "links-early"}
        assert api.call("PUT", f"/objects/{name}", record, if_none_match="*")[0] == 201
    members = [
        {"identifier": name, "label": {"en": [title]}, "image": name}
        for name, title in TITLES.items()
    ]
    shelf = {"type": "collection", "identifier": "links-shelf", "label": {"en": ["Links"]}}
    body = shelf | {"members": members}
    assert api.call("PUT", "/collections/links-shelf", body, if_none_match="*")[0] == 201
    for path in ("objects/links-withdrawn", "images/links-image-withdrawn"):
        assert api.call("DELETE", f"/{path}?reason=A%20claim.", if_match="*")[0] == 200


def status_of(address: str) -> int:
    """Return the status at the end of all redirects."""
    try:
        with urllib.request.urlopen(address, timeout=180) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def find_links(service: "Service") -> set[str]:
    """Return the paths that the pages of the site lead to, from the first one on, and the search.

    The desk and what machines read are no pages.
    """
    edge, found, waiting = service.addresses.edge_url, {"/"}, ["/"]
    while waiting and len(found) < MAX_PAGES:
        path = waiting.pop()
        if not PAGES.match(path) or status_of(edge + path) != 200:
            continue
        links = set(map(unescape, LINK.findall(read_page(edge + path)))) - found
        found |= links
        waiting += links
    cards = json.loads(read_page(f"{edge}/search/index/cards/0.json"))
    return found | {
        f"/objects/{quote(card[1], safe='')}" for card in cards if card and card[0] == "manifest"
    }


def test_every_link_answers_200(service: "Service", api: Api) -> None:
    edge = service.addresses.edge_url

    def dead() -> list[str]:
        return [path for path in find_links(service) if status_of(edge + path) != 200]

    page = f"{edge}/collections/links-shelf"
    shown = {TITLES["links-shown"], TITLES["links-early"]}
    until(lambda: {one for one in TITLES.values() if one in read_page(page)} == shown, page)
    until(lambda: not dead(), "a link answers no 200", pause=2)


def test_what_arrives_and_comes_back_is_listed(service: "Service", api: Api) -> None:
    page = f"{service.addresses.edge_url}/collections/links-shelf"
    for name in ("links-missing", "links-rejected"):
        assert send(api, f"links/{name}.png", name)["state"] == "published"
    name = "links-withdrawn"
    record = letter(name, name, TITLES[name])
    body = api.call("PUT", f"/objects/{name}?replace_withdrawn=true", record, if_match="*")
    assert body[0] == 200, body
    listed = {title for name, title in TITLES.items() if name != "links-image-withdrawn"}
    until(lambda: {one for one in TITLES.values() if one in read_page(page)} == listed, page)
