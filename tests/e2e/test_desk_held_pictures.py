"""Pictures that are sent from the desk, and that nobody sees before they are published."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.desk_visit import (
    begin_collection,
    call_api,
    choose_files,
    drafts_kept,
    draw_photographs,
    publish,
    status_of,
)
from tests.e2e.visit import Visit

if TYPE_CHECKING:
    from conftest import Service

pytestmark = pytest.mark.slow

SENT_AT_ONCE = 4
"""Files that the desk sends at a time."""
INGESTS = re.compile(r"/api/ingests$")


def test_nobody_sees_a_picture_that_is_held_before_it_is_published(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    visit = open_desk()
    page, edge = visit.page, service.addresses.edge_url
    first, second, third = draw_photographs(tmp_path, 3, f"held-{run}")
    begin_collection(page, f"Held {run}", [first], is_held=True)
    expect(page.get_by_text("1 of 1 file prepared.")).to_be_visible()
    assert call_api(service, f"access/held-{run}-1")["access"] == "closed"
    assert status_of(f"{edge}/iiif/3/held-{run}-1/info.json") == 403
    publish(page, 2)
    assert call_api(service, f"access/held-{run}-1")["access"] == "open"
    visit.wait_until(lambda: status_of(f"{edge}/objects/held-{run}-1") == 200)
    page.get_by_text("Who may see its images").click()
    page.get_by_label("Who sees it").select_option("Everybody, at a small size")
    publish(page, 1)
    choose_files(page, [second])
    expect(page.get_by_text("2 of 2 files prepared.")).to_be_visible()
    assert call_api(service, f"access/held-{run}-2")["access"] == "closed"
    publish(page, 1)
    assert call_api(service, f"access/held-{run}-2")["access"] == "small:1000"
    page.get_by_role("link", name=f"held-{run}-2").click()
    expect(page.get_by_text("Drop files here to add images")).to_be_visible()
    choose_files(page, [third])
    added = f"access/held-{run}-2-held-{run}-3"
    visit.wait_until(lambda: call_api(service, added)["access"] == "closed")
    publish(page, 1)
    assert call_api(service, added)["access"] == "small:1000"
    assert not [one for one in drafts_kept(page) if run in one]


def test_a_picture_is_let_go_though_the_page_was_closed_before_it_was_sent(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    visit = open_desk()
    page = visit.page
    photographs = draw_photographs(tmp_path, 1, f"left-{run}")
    page.route(INGESTS, lambda route: None)  # is not answered while the page is open
    begin_collection(page, f"Left {run}", photographs, is_held=True)
    access = f"access/left-{run}-1"
    visit.wait_until(lambda: call_api(service, access)["access"] == "closed")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    page.unroute(INGESTS)
    expect(page.get_by_role("heading", name=f"Left {run}")).to_be_visible()
    choose_files(page, photographs)
    expect(page.get_by_text("1 of 1 file prepared.")).to_be_visible()
    assert call_api(service, access)["access"] == "closed"
    publish(page, 2)
    assert call_api(service, access)["access"] == "open"


def test_a_picture_stays_hidden_if_its_draft_is_given_up_before_it_is_sent(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    visit = open_desk()
    page = visit.page
    waiting: list[Route] = []
    page.route(INGESTS, lambda route: waiting.append(route))
    begin_collection(
        page, f"Given up {run}", draw_photographs(tmp_path, 5, f"up-{run}"), is_held=True
    )
    visit.wait_until(lambda: len(waiting) == SENT_AT_ONCE)
    page.get_by_role("button", name="Give up changes").click()
    page.get_by_role("button", name="Give up 6 changes for good").click()
    visit.wait_until(lambda: not [one for one in drafts_kept(page) if run in one])
    page.unroute(INGESTS)  # lets them through
    page.get_by_role("link", name="Uploads").click()
    expect(page.get_by_text("5 of 5 files prepared.")).to_be_visible()
    for number in range(1, 6):
        assert call_api(service, f"access/up-{run}-{number}")["access"] == "closed", number
