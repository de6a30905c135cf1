"""What a browser gets where a page was, or never was: a status for programs, a page for people."""

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import EDGE_URL_VARIABLE, open_context
from tests.e2e.visit import OpenPage, Visit

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Service


@pytest.fixture(scope="module", autouse=True)
def _published(
    image: dict[str, Any],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if os.environ.get(EDGE_URL_VARIABLE):
        pytest.skip("these pages are of objects that the tests publish")
    service: Service = request.getfixturevalue("service")
    records: Path = tmp_path_factory.mktemp("records") / "objects.jsonl"
    made = [
        {
            "type": "object",
            "identifier": name,
            "label": {"en": [f"The object {name}"]},
            "canvases": [{"image": image["identifier"]}],
        }
        for name in ("renamed", "withdrawn")
    ]
    waiting = {**made[0], "identifier": "waiting", "canvases": [{"image": "not-yet"}]}
    records.write_text("\n".join(map(json.dumps, [*made, waiting])))
    for command in (
        ("put", str(records)),
        ("rename", "renamed", "new name"),
        ("withdraw", "withdrawn", "--reason", "A claim."),
    ):
        done = service.run("object", *command)
        assert done.returncode == 0, done.stdout + done.stderr


def _statuses(visit: Visit) -> list[int]:
    """The statuses of the documents, one after the other."""
    return [one.status for one in visit.responses if one.request.resource_type == "document"]


def test_a_renamed_object_is_at_its_new_address(open_page: OpenPage, edge_url: str) -> None:
    visit = open_page("/objects/renamed")
    assert _statuses(visit) == [301, 200]
    assert visit.page.url == f"{edge_url}/objects/new%20name"
    expect(visit.page.get_by_role("heading", level=1)).to_have_text("The object renamed")


@pytest.mark.parametrize("place", ["objects", "embed"])
def test_a_withdrawn_object_is_gone_and_says_why(open_page: OpenPage, place: str) -> None:
    visit = open_page(f"/{place}/withdrawn")
    assert _statuses(visit) == [410]
    expect(visit.page.get_by_text("Reason given: A claim.")).to_be_visible()


def test_an_object_that_waits_is_not_there_yet(open_page: OpenPage) -> None:
    visit = open_page("/objects/waiting")
    assert _statuses(visit) == [404]
    expect(visit.page.get_by_text("Its images are on their way.")).to_be_visible()


@pytest.mark.parametrize("path", ["/objects/unknown", "/collections/unknown/de", "/unknown"])
def test_where_nothing_ever_was_a_page_leads_home(
    open_page: OpenPage, edge_url: str, path: str
) -> None:
    visit = open_page(path)
    assert _statuses(visit) == [404]
    expect(visit.page.get_by_role("heading", level=1)).to_have_text("There is no page here")
    expect(visit.page.get_by_role("searchbox")).to_be_visible()
    assert visit.page.title().startswith("There is no page here · ")
    visit.page.get_by_role("link", name="Home").click()
    expect(visit.page).to_have_url(f"{edge_url}/")


def test_without_scripts_what_never_was_is_said_in_all_languages(
    browser: Browser, edge_url: str
) -> None:
    context = open_context(browser, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{edge_url}/objects/unknown")
    expect(page.get_by_text("Hier gibt es keine Seite")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).fontFamily") != "serif"
    page.get_by_role("link", name="To the first page").click()
    expect(page).to_have_url(f"{edge_url}/")
    context.close()
