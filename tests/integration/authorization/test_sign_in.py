"""Signing in with a real OpenID Connect provider, whose form is filled in."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urljoin, urlsplit

import msgspec
import pytest
import requests

from tests.integration.authorization.access_door import serve
from tests.oidc_provider import run_provider
from tests.unit.authorization.made_services import Door
from vitrine.access.rights import Provider
from vitrine.access.tickets import Ticket, sign_ticket, verify_ticket
from vitrine.authorization.provider import SignIn
from vitrine.authorization.provider_http import PooledHttp, ProviderUnusable
from vitrine.authorization.tickets import COOKIE
from vitrine.authorization.way_in import COOKIE as WAY_IN_COOKIE
from vitrine.errors import TransientError

SECRET = "a secret of a confidential client"


@dataclass
class Museum:
    """The services of access, with a provider."""

    door: Door
    base: str
    issuer: str


@pytest.fixture(params=["", SECRET], ids=["public client", "confidential client"])
def museum(request: pytest.FixtureRequest) -> Iterator[Museum]:
    door = Door()
    with (
        serve(door) as base,
        run_provider(f"{base}/auth/callback", secret=request.param) as issuer,
    ):
        provider = Provider(issuer=issuer, client="vitrine")
        door.access = msgspec.structs.replace(door.access, provider=provider)
        door.sign_in = SignIn(provider, PooledHttp(), request.param)
        yield Museum(door, base, issuer)


class Browser:
    """A person with a browser that takes secure cookies from this machine, as Chromium does."""

    def __init__(self) -> None:
        self.ours: dict[str, str] = {}
        self._provider = requests.Session()

    def open(self, address: str) -> requests.Response:
        """Open one of our addresses; redirects are not followed."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.ours.items())
        response = requests.get(
            address, headers={"cookie": cookie}, allow_redirects=False, timeout=30
        )
        for line in response.raw.headers.getlist("set-cookie"):
            name, _, rest = line.partition("=")
            self.ours[name] = rest.partition(";")[0]
        self.ours = {name: value for name, value in self.ours.items() if value}
        return response

    def sign_in(self, address: str, login: str) -> str:
        """Fill in the provider's forms; return the address that it sends us back to."""
        page = self._provider.get(address, timeout=30)
        page = self._submit(page, {"prompt": "login", "login": login, "password": "any"})
        back = self._follow(page)
        if back:
            return back
        raise AssertionError(page.text[:500])

    def asks_for_login(self, address: str) -> bool:
        """Return True if the provider wants somebody to sign in; False if it knows who it is."""
        return 'name="login"' in self._provider.get(address, timeout=30).text

    def sign_out(self, address: str) -> None:
        """Open the provider's page to sign out, and confirm."""
        page = self._provider.get(address, timeout=30)
        (secret,) = re.findall('name="xsrf" value="([^"]+)"', page.text)
        done = self._submit(page, {"xsrf": secret, "logout": "yes"})
        assert done.ok, done.text

    def _follow(self, page: requests.Response) -> str:
        for _ in range(8):
            if page.is_redirect:
                address = urljoin(page.url, page.headers["location"])
                if "/auth/callback" in address:
                    return address
                page = self._provider.get(address, allow_redirects=False, timeout=30)
            else:
                page = self._submit(page, {"prompt": "consent"})
        return ""

    def _submit(self, page: requests.Response, fields: dict[str, str]) -> requests.Response:
        (action,) = re.findall(r'<form[^>]*action="([^"]+)"', page.text)
        return self._provider.post(
            urljoin(page.url, action), data=fields, allow_redirects=False, timeout=30
        )


def test_somebody_of_the_group_is_let_in(museum: Museum) -> None:
    browser = Browser()
    sent = browser.open(f"{museum.base}/auth/staff/login?origin=https://viewer.example.org")
    assert sent.status_code == 302
    back = browser.sign_in(sent.headers["location"], "ada")
    page = browser.open(back)
    assert page.status_code == 200
    assert "window.close()" in page.text
    ticket = verify_ticket(browser.ours[COOKIE], museum.door.keys, museum.door.services().clock())
    assert ticket.rights == ("staff",)
    assert WAY_IN_COOKIE not in browser.ours
    (record,) = museum.door.records
    assert (record["right"], record["rule"]) == ("staff", "role")
    assert re.fullmatch("[0-9a-f]{16}", record["subject"])
    assert "ada" not in str(record)


def test_somebody_of_another_group_is_known_and_not_let_in(museum: Museum) -> None:
    browser = Browser()
    sent = browser.open(f"{museum.base}/auth/staff/login")
    page = browser.open(browser.sign_in(sent.headers["location"], "bob"))
    assert page.status_code == 403
    assert not browser.ours
    assert not museum.door.records


@pytest.mark.parametrize("kept", [(), ("registered",)])
def test_somebody_else_at_the_same_browser_gets_nothing_of_the_first_but_accepted_terms(
    museum: Museum, kept: tuple[str, ...]
) -> None:
    now = int(museum.door.services().clock())
    ticket = Ticket(issued_at=now, expires_at=now + 600, rights=("curators", "staff", *kept))
    browser = Browser()
    browser.ours[COOKIE] = sign_ticket(ticket, museum.door.keys)
    sent = browser.open(f"{museum.base}/auth/staff/login")
    browser.open(browser.sign_in(sent.headers["location"], "bob"))
    text = browser.ours.get(COOKIE)
    left = verify_ticket(text, museum.door.keys, now).rights if text else ()
    assert left == kept
    assert not museum.door.records


def test_an_answer_works_once_and_in_one_browser(museum: Museum) -> None:
    browser, thief = Browser(), Browser()
    sent = browser.open(f"{museum.base}/auth/staff/login")
    way_in = dict(browser.ours)
    back = browser.sign_in(sent.headers["location"], "ada")
    assert thief.open(back).status_code == 400
    assert browser.open(back).status_code == 200
    assert browser.open(back).status_code == 400
    # Whatever a browser keeps, and whatever the provider takes twice.
    thief.ours = way_in
    assert thief.open(back).status_code == 400
    assert COOKIE not in thief.ours


def test_the_code_of_one_sign_in_is_worth_nothing_in_another(museum: Museum) -> None:
    """Somebody who is made to finish a stranger's sign-in would work under a stranger's name."""
    stranger, victim = Browser(), Browser()
    sent = stranger.open(f"{museum.base}/auth/staff/login")
    code = parse_qs(urlsplit(stranger.sign_in(sent.headers["location"], "ada")).query)["code"][0]
    own = victim.open(f"{museum.base}/auth/staff/login").headers["location"]
    state = parse_qs(urlsplit(own).query)["state"][0]
    answer = f"code={code}&state={state}&iss={museum.issuer}"
    assert victim.open(f"{museum.base}/auth/callback?{answer}").status_code == 502
    assert COOKIE not in victim.ours


def test_giving_up_is_confirmed_and_nothing_of_the_address_is_shown(
    museum: Museum,
) -> None:
    browser = Browser()
    sent = browser.open(f"{museum.base}/auth/staff/login").headers["location"]
    state = parse_qs(urlsplit(sent).query)["state"][0]
    text = "<script>alert(1)</script>"
    query = f"state={state}&error=access_denied&error_description={text}"
    page = browser.open(f"{museum.base}/auth/callback?{query}")
    assert page.status_code == 403
    assert "alert" not in page.text
    assert not browser.ours


def test_signing_out_can_also_end_the_providers_session(museum: Museum) -> None:
    browser = Browser()
    sent = browser.open(f"{museum.base}/auth/staff/login")
    browser.open(browser.sign_in(sent.headers["location"], "ada"))
    page = browser.open(f"{museum.base}/auth/staff/logout")
    assert browser.ours == {}
    assert "window.close()" not in page.text
    (address,) = re.findall('<a href="([^"]+)">Sign out there</a>', page.text)
    again = browser.open(f"{museum.base}/auth/staff/login").headers["location"]
    assert not browser.asks_for_login(again)
    browser.sign_out(html.unescape(address))
    again = browser.open(f"{museum.base}/auth/staff/login").headers["location"]
    assert browser.asks_for_login(again)


def test_the_provider_sends_people_back_to_us_only(museum: Museum) -> None:
    sent = Browser().open(f"{museum.base}/auth/staff/login").headers["location"]
    elsewhere = sent.replace("auth%2Fcallback", "auth%2Felsewhere")
    assert requests.get(elsewhere, allow_redirects=False, timeout=30).status_code == 400


@pytest.mark.parametrize("path", ["", "/auth", "/.well-known/nothing"])
def test_an_address_that_is_no_providers_is_not_usable(museum: Museum, path: str) -> None:
    with pytest.raises(ProviderUnusable):
        PooledHttp().get(f"{museum.issuer}{path}")


def test_a_provider_that_does_not_answer_is_tried_again_later() -> None:
    with pytest.raises(TransientError):
        PooledHttp().get("http://127.0.0.1:9/.well-known/openid-configuration")
