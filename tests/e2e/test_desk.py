"""The desk in a browser, as a curator uses it, in front of the real service."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from tests.e2e.access_museum import sign_in
from tests.e2e.axe import find_faults
from tests.e2e.desk_uploads import check_breaks
from tests.e2e.desk_visit import (
    begin_collection,
    call_api,
    cell_texts,
    choose_files,
    draw_photographs,
    master_versions,
    paste,
    publish,
    put_record,
)
from tests.e2e.visit import OpenPage, Visit
from tests.oidc_provider import run_provider

if TYPE_CHECKING:
    from conftest import Service

pytestmark = pytest.mark.slow
STATUS = re.compile(r"the server responded with a status of (\d+)")


def statuses(visit: Visit) -> list[str]:
    """Return the statuses that the browser complained of; it complained of nothing else."""
    found = [STATUS.search(one) for one in visit.complaints]
    assert all(found), visit.complaints
    return [one[1] for one in found if one]


def test_a_collection_is_published_mended_and_withdrawn(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    visit = open_desk()
    page = visit.page
    begin_collection(page, f"Views {run}", draw_photographs(tmp_path, 2, f"view-{run}"))
    _describe_by_keyboard(page)
    publish(page, 3)
    expect(page.get_by_text("2 of 2 files prepared.")).to_be_visible()
    assert statuses(visit) == []
    record = call_api(service, f"objects/view-{run}-1")
    assert record["label"] == {"en": ["The harbour"]}
    assert record["rights"] == "http://creativecommons.org/licenses/by/4.0/"
    assert record["canvases"][0]["alt_text"] == {"en": ['A pier, called "Old"']}
    members = call_api(service, f"collections/views-{run}")["members"]
    titles = [one["label"]["en"][0] for one in members]
    assert titles == ["The harbour", "The mill"]
    _mend_and_bring_back(page, service, run)
    _withdraw_and_restore(page, service, run)
    assert set(statuses(visit)) == {"404", "410"}


def _describe_by_keyboard(page: Page) -> None:
    """Fill the table by keyboard alone, once it is in the focus, and by a spreadsheet's cells."""
    page.get_by_label("New column").fill("Photographer")
    page.keyboard.press("Enter")
    page.locator("[data-cell='0:1']").focus()
    page.keyboard.type("The harbour")
    page.keyboard.press("Enter")
    page.keyboard.type("The mill")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.type("Nothing")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowUp")
    paste(page, '"A pier, called ""Old"""\tCC BY\tAnn\t1901\r\nA mill\tCC0\tBen\t1902\r\nA boat')
    expect(page.get_by_text("1 row did not fit")).to_be_in_viewport()
    expect(page.get_by_text("1 column did not fit")).to_be_in_viewport()
    assert cell_texts(page, 0) == ["The harbour", 'A pier, called "Old"', "CC BY 4.0", "Ann"]
    assert cell_texts(page, 1) == ["The mill", "A mill", "CC0 1.0", "Ben"]
    page.keyboard.press("ArrowRight")
    page.keyboard.type("Mine")
    field = page.locator("[data-cell='0:3'] input")
    _expect_explained(page, field)
    page.keyboard.press("Escape")
    wrong = page.locator("[data-cell='0:3'][aria-invalid=true]")
    expect(wrong).to_be_hidden()
    page.keyboard.type("Mine")
    page.keyboard.press("Enter")
    _expect_explained(page, wrong)
    page.get_by_role("link", name="1 cannot be published as it is").click()
    expect(wrong).to_be_focused()
    page.keyboard.press("Control+z")
    expect(wrong).to_be_hidden()
    assert cell_texts(page, 0)[2] == "CC BY 4.0"
    page.keyboard.type("Mine")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Changes").click()
    page.locator("li a.fault").click()
    expect(wrong).to_be_focused()
    page.keyboard.type("CC BY")
    page.keyboard.press("Enter")
    expect(wrong).to_be_hidden()
    assert cell_texts(page, 0)[2] == "CC BY 4.0"


def _expect_explained(page: Page, element: Locator) -> None:
    """Expect that a field or a cell is marked as wrong, and described by the reason."""
    expect(element).to_have_attribute("aria-invalid", "true")
    described = page.locator(f"#{element.get_attribute('aria-describedby')}")
    expect(described).to_be_in_viewport()
    expect(described).to_contain_text("rights")


def _mend_and_bring_back(page: Page, service: "Service", run: str) -> None:
    page.get_by_role("link", name=f"view-{run}-1").click()
    page.get_by_label("Title", exact=True).fill("The harbour in winter")
    page.get_by_text("Preview of its page").click()
    frame = page.frame_locator("iframe.preview")
    expect(frame.get_by_role("heading", name="The harbour in winter")).to_be_visible()
    page.get_by_text("Preview of its page").click()
    page.get_by_role("button", name="Publish …").click()
    expect(page.get_by_text(f"The list of “Views {run}” will follow.")).to_be_visible()
    page.get_by_role("button", name="Not yet").click()
    publish(page, 1)
    members = call_api(service, f"collections/views-{run}")["members"]
    assert members[0]["label"] == {"en": ["The harbour in winter"]}
    page.get_by_text("History", exact=True).click()
    page.get_by_role("button", name="Bring version 1 back").click()
    expect(page.get_by_label("Title", exact=True)).to_have_value("The harbour")
    publish(page, 1)
    assert call_api(service, f"objects/view-{run}-1")["label"] == {"en": ["The harbour"]}


def _withdraw_and_restore(page: Page, service: "Service", run: str) -> None:
    """Withdraw the collection with its objects and images, and bring all of it back."""
    page.get_by_role("link", name=f"views-{run}").click()
    page.get_by_text("Withdraw it", exact=True).click()
    page.get_by_label("Reason").fill("A claim is being looked into.")
    page.get_by_label("Withdraw all its objects").check()
    page.get_by_role("button", name="Withdraw all of it …").click()
    expect(page.get_by_text("2 objects and all of their images will be off")).to_be_focused()
    assert call_api(service, f"publications/view-{run}-1")["state"] == "published"
    page.get_by_role("button", name="Withdraw 2 objects and the collection now").click()
    expect(page.get_by_text("It was withdrawn.")).to_be_visible()
    assert call_api(service, f"images/view-{run}-1")["state"] == "gone"
    assert call_api(service, f"publications/view-{run}-1")["state"] == "withdrawn"
    page.get_by_role("link", name="Collections").first.click()
    page.get_by_label("Identifier of an object or a collection").fill(f"views-{run}")
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="Bring version").first.click()
    expect(page.get_by_text("2 objects on its list")).to_be_visible()
    expect(page.get_by_text("not published yet")).to_be_hidden()
    publish(page, 1)
    page.get_by_role("button", name="Bring 2 withdrawn objects back").click()
    expect(page.get_by_text("2 objects ready to be published again.")).to_be_visible()
    publish(page, 2)
    expect(page.locator("tbody tr")).to_have_count(2)
    assert call_api(service, f"objects/view-{run}-1")["label"] == {"en": ["The harbour"]}
    assert call_api(service, f"publications/views-{run}")["state"] == "published"


def test_an_image_is_replaced_restricted_renamed_and_withdrawn(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    import pyvips

    visit = open_desk()
    page = visit.page
    first, other = draw_photographs(tmp_path, 2, f"image-{run}")
    pyvips.Image.black(200, 150).jpegsave(str(other))
    begin_collection(page, f"Images {run}", [first])
    publish(page, 2)
    expect(page.get_by_text("1 of 1 file prepared.")).to_be_visible()
    page.get_by_role("link", name=f"image-{run}-1").click()
    page.get_by_text("Replace, restrict, share, rename or withdraw image 1").click()
    panel = page.locator(".canvas-editor .panel")
    panel.locator("input[type=file]").set_input_files(str(other))
    expect(page.get_by_text("The new file is shown now.")).to_be_visible()
    expect(panel.get_by_text(re.compile("200 . 150 pixels"))).to_be_visible()
    panel.get_by_label("Who sees it").select_option("Everybody, at a small size")
    panel.get_by_role("button", name="Set this rule now").click()
    expect(page.get_by_text("Done: everybody sees it at up to 1000 pixels.")).to_be_visible()
    assert call_api(service, f"access/image-{run}-1")["access"] == "small:1000"
    panel.get_by_label("Old identifier").fill(f"old/{run}")
    panel.get_by_role("button", name="Let it lead here").click()
    expect(panel.get_by_text(f"These lead here: old/{run}.")).to_be_visible()
    assert call_api(service, f"redirects/old%2F{run}")["target"] == f"image-{run}-1"
    key = f"images-{run}/{first.name}"
    visit.wait_until(lambda: master_versions(service, key) == [key, key])
    ingest = f"ingests/{quote(key, safe='')}"
    visit.wait_until(lambda: call_api(service, ingest)["state"] == "published")
    rename = page.locator("main > .panel", has_text="Give it another identifier")
    rename.locator("summary").click()
    rename.get_by_label("New identifier").fill(f"renamed-{run}")
    rename.get_by_role("button", name="Rename it now").click()
    expect(page.locator("code", has_text=f"renamed-{run}")).to_be_visible()
    page.get_by_text("Replace, restrict, share, rename or withdraw image 1").click()
    panel.get_by_label("Reason").fill("A claim.")
    panel.get_by_role("button", name="Withdraw the image").click()
    expect(page.get_by_text("It was withdrawn: A claim.")).to_be_visible()
    panel.get_by_role("button", name="Restore the image").click()
    expect(page.get_by_text("It is coming back.")).to_be_visible()
    visit.wait_until(lambda: call_api(service, f"images/image-{run}-1")["state"] == "live")
    assert set(statuses(visit)) <= {"412"}  # the rule, if the new file came just then


def test_a_rejected_file_is_mended_where_its_image_is_missing(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    visit = open_desk()
    page = visit.page
    good, bad = draw_photographs(tmp_path, 2, f"bad-{run}")
    bad.write_bytes(b"This is no image.")
    begin_collection(page, f"Bad {run}", [bad])
    key = quote(f"bad-{run}/{bad.name}", safe="")
    visit.wait_until(lambda: call_api(service, f"ingests/{key}")["state"] == "rejected")
    page.reload()
    expect(page.locator("tbody th", has_text="its file was rejected")).to_be_visible()
    page.get_by_role("button", name="Publish …").click()
    expect(page.get_by_text("1 record lacks an image, since its file was rejected")).to_be_visible()
    page.get_by_role("button", name="Publish 2 records now").click()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("link", name=f"bad-{run}-2").click()
    expect(page.locator("header", has_text="its file was rejected")).to_be_visible()
    field = page.locator(".canvas-editor input[type=file]")
    field.set_input_files(str(good))
    visit.wait_until(lambda: call_api(service, f"ingests/{key}")["state"] == "published")
    assert call_api(service, f"images/bad-{run}-2")["state"] == "live"
    expect(page.get_by_text("its file was rejected")).to_have_count(0)
    _decide_on_the_collection(page, f"bad-{run}", good, bad)


def _decide_on_the_collection(page: Page, collection: str, good: Path, other: Path) -> None:
    """Send a changed file of the same name: its collection asks about it, and no other does."""
    page.get_by_role("link", name=collection, exact=True).click()
    other.write_bytes(good.read_bytes())
    choose_files(page, [other])
    question = page.get_by_role("button", name="Replace the picture with this file")
    expect(question).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_text("1 file needs you.")).to_be_visible()
    page.get_by_role("link", name="Collections").first.click()
    begin_collection(page, f"Other {collection}", [good])
    expect(page.get_by_text("1 file needs you.")).to_be_hidden()


def test_missing_texts_are_a_list_to_work_through(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    visit = open_desk()
    page = visit.page
    begin_collection(page, f"Texts {run}", draw_photographs(tmp_path, 3, f"text-{run}"))
    page.locator("[data-cell='0:2']").focus()
    page.keyboard.type("The first.")
    page.keyboard.press("Enter")
    publish(page, 4)
    page.get_by_role("link", name="Images without an alternative text").click()
    views = page.locator(".canvas-editor")
    expect(views).to_have_count(2)
    expect(page.get_by_role("button", name="Propose a text")).to_be_hidden()
    page.route("**/api/caller", _connect_proposals)
    page.reload()
    expect(views).to_have_count(2)
    page.route("**/api/text-proposals", lambda route: route.fulfill(json={"text": "A machine."}))
    views.first.get_by_role("button", name="Propose a text").click()
    proposal = views.first.get_by_label("Proposal of a program")
    expect(proposal).to_have_value("A machine.")
    expect(views.first.get_by_label("Alternative text, English")).to_have_value("")
    proposal.fill("The second.")
    views.first.get_by_role("button", name="Accept this text").click()
    views.last.get_by_label("Alternative text, English").fill("The third.")
    publish(page, 2)
    expect(page.get_by_text("No text is missing.")).to_be_visible()
    for number, text in ((2, "The second."), (3, "The third.")):
        record = call_api(service, f"objects/text-{run}-{number}")
        assert record["canvases"][0]["alt_text"] == {"en": [text]}
    assert statuses(visit) == []


def _connect_proposals(route: Route) -> None:
    """Answer as an API does to which a program is connected that proposes texts."""
    answer = route.fetch()
    route.fulfill(response=answer, json=answer.json() | {"proposes_texts": True})


def test_of_two_who_change_an_object_nobody_loses_anything(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    visit = open_desk()
    page = visit.page
    begin_collection(page, f"Two hands {run}", draw_photographs(tmp_path, 1, f"hand-{run}"))
    publish(page, 2)
    page.get_by_role("link", name=f"hand-{run}-1").click()
    page.get_by_label("Title", exact=True).fill("Mine")
    record = call_api(service, f"objects/hand-{run}-1")
    theirs = record | {"label": {"en": ["Theirs"]}, "summary": {"en": ["A summary."]}}
    put_record(service, f"objects/hand-{run}-1", theirs, 1)
    page.get_by_role("button", name="Publish …").click()
    page.get_by_role("button", name="Publish 1 record now").click()
    expect(page.get_by_text("somebody else changed it meanwhile")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("group", name="Title")).to_contain_text("Theirs")
    page.get_by_role("button", name="Go on with this choice").click()
    publish(page, 1)
    published = call_api(service, f"objects/hand-{run}-1")
    assert published["label"] == {"en": ["Mine"]}
    assert published["summary"] == {"en": ["A summary."]}
    assert set(statuses(visit)) == {"412"}


def test_masters_arrive_once_over_a_connection_that_breaks(
    open_desk: Callable[..., Visit], service: "Service", tmp_path: Path, run: str
) -> None:
    check_breaks(open_desk(), service, draw_photographs(tmp_path, 8, f"break-{run}"), run)


def test_people_of_the_institution_sign_in(open_page: OpenPage, edge_url: str) -> None:
    tokens: list[str] = []

    def prepare(page: Page) -> None:
        """Serve the desk as an environment with a provider does."""
        configuration = {"api": "/api", "issuer": issuer, "client": "vitrine", "scope": "openid"}
        page.route("**/desk/config.json", lambda route: route.fulfill(json=configuration))
        # The policy of this machine's desk names no provider.
        page.context.new_cdp_session(page).send("Page.setBypassCSP", {"enabled": True})
        page.on("request", lambda one: "/api/" in one.url and tokens.append(_token_of(one)))

    with run_provider(f"{edge_url}/desk/") as issuer:
        visit = open_page("/desk/#/failures", prepare=prepare)
        page = visit.page
        sign_in(page, "ada")
        expect(page.get_by_role("heading", name="Rejected files")).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert tokens
        assert all(token.startswith("Bearer ") for token in tokens)
        assert page.url == f"{edge_url}/desk/#/failures"
        page.reload()
        page.wait_for_load_state("networkidle")
        page.get_by_role("link", name="What the desk did").click()
        page.get_by_text("GET /api/ingests").first.click()
        expect(page.get_by_text("Bearer $TOKEN")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{issuer}/session/end?*")
    assert [one for one in visit.complaints if edge_url in one] == []


def _token_of(request: Request) -> str:
    return request.headers.get("authorization", "")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_axe_finds_no_fault_and_nothing_is_too_wide(
    open_desk: Callable[..., Visit], tmp_path: Path, run: str, width: int, scheme: str
) -> None:
    visit = open_desk(width=width, scheme=scheme)
    page = visit.page
    _judge(page)
    begin_collection(page, f"Judged {run}", draw_photographs(tmp_path, 1, f"judged-{run}"))
    page.locator("[data-cell='0:3']").focus()
    page.keyboard.type("mine")
    position = "static" if width == 390 else "sticky"  # never over the field on a phone
    expect(page.locator(".publish-bar")).to_have_css("position", position)
    _judge(page)
    page.keyboard.press("Enter")
    expect(page.locator("[aria-invalid=true]")).to_be_visible()
    _judge(page)
    page.get_by_role("button", name="Publish …").click()
    _judge(page)
    page.get_by_role("button", name="Not yet").click()
    page.locator("[data-cell='0:3']").focus()
    page.keyboard.press("Delete")
    expect(page.locator("[aria-invalid=true]")).to_be_hidden()
    publish(page, 2)
    expect(page.get_by_text("1 of 1 file prepared.")).to_be_visible()
    _open_panels(page)
    _judge(page)
    page.get_by_role("link", name=f"judged-{run}-1").click()
    expect(page.get_by_label("Title", exact=True)).to_be_visible()
    _open_panels(page)
    _judge(page)
    for name in ("new", "uploads", "changes", "failures", "calls"):
        page.evaluate("name => { location.hash = `#/${name}`; }", name)
        page.wait_for_load_state("networkidle")
        _judge(page)
    assert statuses(visit) == []


def _open_panels(page: Page) -> None:
    """Open all that can be opened, and wait until its content is there."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.wait_for_load_state("networkidle")
    expect(page.locator("iframe.preview")).to_be_visible()


def _judge(page: Page) -> None:
    """Fail for what axe-core finds, and if the page is wider than the screen."""
    assert find_faults(page) == [], page.url
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1], page.url
