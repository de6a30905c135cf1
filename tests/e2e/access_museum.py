"""A museum whose images not everybody sees, with a provider of sign-in and a viewer elsewhere."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyvips
from playwright.sync_api import Page

from tests.conftest import run_service
from tests.e2e.access_client import CLIENT_PAGE
from tests.oidc_provider import run_provider
from tests.rigs.http_server import serve_folder
from vitrine.access.descriptions import describe_probe
from vitrine.access.rights import read_access

if TYPE_CHECKING:
    from conftest import Service

IMAGES = {"letter": "here", "bones": "registered", "sketch": "small:256:staff"}
"""Images that are published for these tests, and the rule of each."""
RIGHTS_SECONDS = 240
IN_A_ROW = 30
"""Answers with a way in, after which no process is left that does not know it."""
OBJECTS = ("first", "letter", "sketch")
"""Images that an object of the same name and `-object` shows."""
TABLE = """
origins = [{origins}]

[provider]
issuer = "{issuer}"
client = "vitrine"

[rights.staff]
group = "museum-staff"
label = {{ en = "Sign in to the Museum" }}
heading = {{ en = "Staff only" }}
note = {{ en = "This image is shown to the museum's staff." }}

[rights.here]
networks = ["127.0.0.0/8"]
label = {{ en = "In the reading room" }}

[rights.registered]
terms = {{ en = "This image shows human remains." }}
confirm = {{ en = "I have read this" }}
label = {{ en = "Read this first" }}
"""


@dataclass
class Museum:
    """A service with services of access, and a viewer's page elsewhere."""

    service: "Service"
    base: str
    table: str
    viewer_port: int

    def viewer(self, host: str) -> str:
        return f"http://{host}:{self.viewer_port}/viewer.html"

    def probe(self, right: str, image: str) -> dict[str, Any]:
        rights = read_access(self.table.encode()).rights
        return describe_probe(self.base, image, right, rights[right])


def describe_object(name: str) -> dict[str, Any]:
    """Return the record of an object that shows an image."""
    identifier = f"{name}-object"
    label = {"en": [f"The {name}"]}
    canvases = [{"image": name}]
    return {"type": "object", "identifier": identifier, "label": label, "canvases": canvases}


@contextmanager
def run_museum(folder: Path, pages: Path) -> Iterator[Museum]:
    """Run the service in a folder, and a server for the viewer's page, from another one."""
    (pages / "viewer.html").write_text(CLIENT_PAGE)
    with (
        run_service(folder, "--access") as service,
        run_provider(f"{service.addresses.edge_url}/auth/callback") as issuer,
        serve_folder(pages) as port,
    ):
        sites = (f"http://{host}:{port}" for host in ("127.0.0.1", "localhost"))
        table = TABLE.format(issuer=issuer, origins=", ".join(f'"{site}"' for site in sites))
        file = folder / "access.toml"
        file.write_text(table)
        commands: list[tuple[str | Path, ...]] = [
            ("access", "rights", "use", file),
            ("access", "image", "first", "staff"),
        ]
        for number, (name, rule) in enumerate(IMAGES.items()):
            # A file of the same name with another identifier would rename the image.
            picture = folder / f"{name}.png"
            grey = (pyvips.Image.black(500, 400, bands=3) + 40 * number).cast("uchar")
            grey.copy(interpretation="srgb").pngsave(str(picture))
            commands.append(("access", "image", name, rule))
            commands.append(("ingest", picture, "--identifier", name))
        records = folder / "objects.jsonl"
        records.write_text("\n".join(json.dumps(describe_object(name)) for name in OBJECTS))
        commands.append(("object", "put", records))
        for words in commands:
            done = service.run(*words)
            assert done.returncode == 0, done.stderr
            assert "lets nobody in" not in done.stderr
        yield Museum(service, service.addresses.edge_url, table, port)


def wait_for_the_services(museum: Museum, rights: Mapping[str, str]) -> None:
    """Wait until image information names the way in to images; `rights` has the right of each.

    Each process of the gateway reads the table of rights once a minute.
    """
    doors = [f"/restricted/{right}/iiif/3/{name}/info.json" for name, right in rights.items()]
    deadline, in_a_row = time.monotonic() + RIGHTS_SECONDS, 0
    while in_a_row < IN_A_ROW:
        assert time.monotonic() < deadline, "the image information names no way in"
        named = all(_information(f"{museum.base}{door}").get("service") for door in doors)
        in_a_row = in_a_row + 1 if named else 0
        time.sleep(0.1)


def _information(address: str) -> dict[str, Any]:
    """Return what the image information says to somebody without a ticket."""
    try:
        urllib.request.urlopen(address, timeout=60)
    except urllib.error.HTTPError as refusal:
        with refusal:
            information: dict[str, Any] = json.load(refusal)
            return information
    raise AssertionError(f"{address} is open")


def sign_in(page: Page, login: str) -> None:
    """Fill in the provider's form, and consent."""
    page.fill("input[name=login]", login)
    page.fill("input[name=password]", "any")
    page.click("button[type=submit]")
    page.wait_for_selector("text=Continue")
    page.click("button[type=submit]")
