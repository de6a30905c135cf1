"""The services of access over a table of rights; a test keeps the cookies of one browser."""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from vitrine.access.keys import Keys
from vitrine.access.rights import Access, read_access
from vitrine.adapters.memory.use_counter import MemoryUseCounter
from vitrine.api.http import ApiRequest, ApiResponse
from vitrine.authorization.application import answer
from vitrine.authorization.provider import SignIn
from vitrine.authorization.services import AuthorizationServices, Restricted
from vitrine.ports import UseCounter

BASE = "https://images.museum.org"
ORIGIN = "https://viewer.example.org"
ADDRESS = "192.0.2.7"
TOKEN_QUERY = f"messageId=m-1&origin={quote(ORIGIN, safe='')}"
TABLE = """
origins = ["https://viewer.example.org"]

[provider]
issuer = "https://login.museum.org"
client = "vitrine"

[rights.staff]
group = "museum-staff"
label = { en = "Sign in to the Museum" }
heading = { en = "Staff only", de = "Nur f\u00fcr das Haus" }
note = { en = "Ask us." }

[rights.curators]
group = "curators"
hours = 2
label = { en = "Sign in as a curator" }

[rights.reading-room]
networks = ["192.0.2.0/24"]
label = { en = "In the reading room" }

[rights.map-room]
networks = ["192.0.2.0/28"]
hours = 1
label = { en = "At the maps" }

[rights.registered]
terms = { en = "These images show <human> remains.", de = "Menschliche \u00dcberreste." }
confirm = { en = "I have read this", de = "Gelesen" }
label = { en = "Read this first", de = "Zuerst lesen" }
"""
IMAGES = {
    "open": Restricted(identifier="open", shows="everything"),
    "letter": Restricted(identifier="letter", shows="nothing", right="staff"),
    "Chart: 3/4": Restricted(identifier="Chart: 3/4", shows="small", right="staff"),
    "sketch": Restricted(identifier="sketch", shows="small"),
    "closed": Restricted(identifier="closed", shows="nothing"),
    "scroll": Restricted(identifier="scroll", shows="nothing", right="reading-room"),
    "bones": Restricted(identifier="bones", shows="nothing", right="registered"),
}
Body = Mapping[str, Any]


class Images:
    """What needs which right."""

    def find(self, identifier: str) -> Restricted | None:
        return IMAGES.get(identifier)


@dataclass
class Door:
    """The services, the cookies of one browser, and what was written down about it."""

    sign_in: SignIn | None = None
    keys: Keys = field(default_factory=Keys.create)
    access: Access = field(default_factory=lambda: read_access(TABLE.encode()))
    cookies: dict[str, str] = field(default_factory=dict)
    records: list[Mapping[str, Any]] = field(default_factory=list)
    uses: UseCounter = field(default_factory=MemoryUseCounter)
    later: float = 0
    """Seconds by which the clock is ahead."""
    base: str = BASE

    def services(self) -> AuthorizationServices:
        return AuthorizationServices(
            access=lambda: self.access,
            keys=lambda: self.keys,
            sign_in=self._provider,
            restrictions=Images(),
            uses=self.uses,
            audit=self.records.append,
            base_url=self.base,
            clock=lambda: time.time() + self.later,
        )

    def ask(
        self,
        path: str,
        query: str = "",
        *,
        address: str = ADDRESS,
        method: str = "GET",
        **headers: str,
    ) -> ApiResponse:
        """Ask as a browser does, which keeps cookies."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent.setdefault(
            "cookie", "; ".join(f"{key}={value}" for key, value in self.cookies.items())
        )
        sent["x-viewer-address"] = address
        request = ApiRequest(method=method, path=path, query=query, headers=sent, caller="")
        response = answer(self.services(), request)
        for line in response.cookies:
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0]
            if "Max-Age=0" in line:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return response

    def _provider(self) -> SignIn:
        assert self.sign_in
        return self.sign_in


def message_of(response: ApiResponse) -> tuple[Body, str]:
    """Return the message of a token page, and the origin that it is for."""
    text = response.body.decode()
    found = re.search(r"postMessage\((\{.*\}), (\".*\")\);", text)
    assert found, text
    message, origin = (json.loads(part) for part in found.groups())
    return message, origin


def accept_terms(door: Door) -> None:
    """Read the terms and accept them."""
    page = door.ask("/auth/registered/login", f"origin={ORIGIN}").body.decode()
    state = page.partition('name="state" value="')[2].partition('"')[0]
    assert door.ask("/auth/registered/accept", f"state={state}").status == 200


def token(door: Door, right: str = "registered", **options: str) -> str:
    """Return the token that a viewer of 2.0 gets."""
    message, _ = message_of(door.ask(f"/auth/{right}/token/2", TOKEN_QUERY, **options))
    return str(message["accessToken"])


def probe(door: Door, right: str, image: str, **headers: str) -> dict[str, Any]:
    """Return what the probe says."""
    response = door.ask(f"/auth/{right}/probe", f"image={quote(image, safe='')}", **headers)
    assert response.status == 200
    found: dict[str, Any] = json.loads(response.body)
    return found
