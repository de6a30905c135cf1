"""The desk's way on one machine: from its page through the edge to the API, and to the masters."""

import json
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.local.api_client import Api, follow, letter, read_page, send

if TYPE_CHECKING:
    from conftest import Service


@pytest.fixture(scope="module")
def api(service: "Service") -> Api:
    """The API as the desk calls it: at the edge, without a signature."""
    return Api(f"{service.addresses.edge_url}/api", None)


def ask(address: str, method: str, **headers: str) -> tuple[int, dict[str, str]]:
    """Return status and headers of an answer without a body of ours."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, headers=named, method=method)
    try:
        with urllib.request.urlopen(request, timeout=180) as answer:
            found = answer.status, answer.headers
    except urllib.error.HTTPError as error:
        with error:
            found = error.code, error.headers
    return found[0], {name.lower(): value for name, value in found[1].items()}


def test_the_desk_finds_its_api_where_its_page_is(service: "Service", api: Api) -> None:
    edge = service.addresses.edge_url
    assert json.loads(read_page(f"{edge}/desk/config.json")) == {"api": "/api"}
    assert api.call("GET", "/caller")[2]["changes_everything"] is True
    assert ask(f"{api.address}/caller", "GET", Origin="https://evil.example")[0] == 403


def test_a_master_is_sent_from_pages_of_this_machine_alone(service: "Service", api: Api) -> None:
    body = {"key": "desk/preflight.png", "upload": {"bytes": 10, "in_parts": True}}
    status, _, started = api.call("POST", "/ingests", body)
    assert status == 201
    (part,) = started["parts"]["missing"]
    preflight = {
        "Access_Control_Request_Method": "PUT",
        "Access_Control_Request_Headers": "content-type",
    }
    own = service.addresses.edge_url
    status, headers = ask(part["address"], "OPTIONS", Origin=own, **preflight)
    assert (status, headers["access-control-allow-origin"]) == (200, own)
    assert ask(part["address"], "OPTIONS", Origin="https://evil.example", **preflight)[0] == 403


def test_what_is_previewed_is_what_is_published(api: Api) -> None:
    assert send(api, "desk/é.png", "desk é")["state"] == "published"
    record = letter("desk letter", "desk é")
    faults = {"rights": "mine"}
    _, _, refused = api.call("POST", "/previews", {"records": [record | faults]})
    assert [one["place"] for one in refused["previews"][0]["faults"]] == ["rights"]
    _, _, made = api.call("POST", "/previews", {"records": [record]})
    status, _, _ = api.call("PUT", "/objects/desk%20letter", record, if_none_match="*")
    assert status == 201
    page = read_page(api.address.removesuffix("/api") + "/objects/desk%20letter")
    assert made["previews"] == [{"faults": [], "page": page}]


def test_a_collection_is_listed_with_its_records_and_what_they_lack(api: Api) -> None:
    record = letter("desk/listed", "desk-absent")
    api.call("PUT", "/objects/desk%2Flisted", record, if_none_match="*")
    shelf = {
        "type": "collection",
        "identifier": "desk/shelf",
        "label": {"en": ["A shelf"]},
        "members": [{"identifier": "desk/listed", "label": {"en": ["A letter"]}}],
    }
    assert api.call("PUT", "/collections/desk%2Fshelf", shelf, if_none_match="*")[0] == 201
    _, _, listed = api.call("GET", "/members/desk%2Fshelf")
    (member,) = listed["members"]
    assert (member["record"], member["missing_images"]) == (record, ["desk-absent"])
    _, _, missing = api.call("GET", "/missing-texts/desk%2Fshelf")
    (view,) = missing["canvases"]
    assert (view["object"], view["canvas"], view["lacks"]) == ("desk/listed", 0, ["alt_text"])


def test_a_link_that_the_desk_makes_shows_a_restricted_image(api: Api) -> None:
    send(api, "desk/shared.png", "desk-shared")
    rule: dict[str, Any] = {"access": "staff"}
    assert api.call("PUT", "/access/desk-shared", rule, if_match="*")[0] == 200
    follow(api, "desk/shared.png")
    status, _, link = api.call("POST", "/links", {"identifier": "desk-shared", "size": 0})
    assert status == 200, link
    status, headers = ask(link["picture"], "GET")
    assert (status, headers["content-type"]) == (200, "image/jpeg")
