"""Viewers of IIIF Authentication 1.0 on pages of others: Mirador 4 and Universal Viewer 4.

Each page shows the manifest that its fragment names. The viewers are those that our site serves.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pyvips
from playwright.sync_api import Page, Playwright, Response, TimeoutError

from tests.e2e.access_museum import Museum, describe_object, sign_in
from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS, EXPECT_SECONDS, PAGE_SECONDS
from vitrine.bootstrap.local_service import REPOSITORY

VIEWERS = REPOSITORY / ".build" / "viewers"
LET_IN = (REPOSITORY / "site" / "viewers" / "let-in.js").read_text(encoding="utf-8")
NO_COOKIES_OF_OTHERS = "--test-third-party-cookie-phaseout"
COOKIES_OF_OTHERS = {"block_third_party_cookies": False, "cookie_controls_mode": 0}
"""Preferences of a profile. Debian's Chromium blocks cookies of others unless it has these."""
PLUM = (200, 40, 160)
"""Colour of the images, of which no viewer has anything by itself."""
PLUMS = {"plum": "staff", "plum-here": "here"}
"""Images, and the rule of each."""
LONG_SECONDS, SOON_SECONDS = 40, 3
"""For what is not to come."""
MIN_SHARE = 0.05
"""Share of the window; a viewer shows the image on more than half of it, the client of 2.0 on a
tenth."""
_HEAD = """<!doctype html><html lang="en"><title>A viewer</title><meta charset="utf-8">
<link rel="icon" href="data:,">"""
_MIRADOR = f"""{_HEAD}
<div id="viewer" style="position: absolute; inset: 0"></div>
<script src="viewers/mirador/mirador.min.js"></script>
<script type="module">
const viewer = window.mirador = Mirador.viewer({{
  id: 'viewer', windows: [{{ manifestId: location.hash.slice(1) }}],
}});
"""
_UNIVERSAL = f"""{_HEAD}
<link rel="stylesheet" href="viewers/universalviewer/uv.css">
<div id="viewer" class="uv" style="position: absolute; width: 1200px; height: 800px"></div>
<script src="viewers/universalviewer/umd/UV.js"></script>
<script>
const manifest = location.hash.slice(1);
UV.init('viewer', {{ manifest, iiifManifestId: manifest }});
</script>
"""
PAGES: Mapping[str, str] = {
    "mirador": f"{_MIRADOR}{LET_IN.replace('export ', '')}letIn(viewer);\n</script>",
    "mirador-alone": f"{_MIRADOR}</script>",
    "universal": _UNIVERSAL,
}


def write_pages(folder: Path) -> None:
    """Write a page for each viewer, and what they need."""
    for name, page in PAGES.items():
        (folder / f"{name}.html").write_text(page)
    (folder / "viewers").symlink_to(VIEWERS)


def publish_plums(museum: Museum, folder: Path) -> None:
    """Publish an image for each rule, and an object that shows it."""
    records = folder / "plums.jsonl"
    records.write_text("\n".join(json.dumps(describe_object(name)) for name in PLUMS))
    commands: list[tuple[str | Path, ...]] = []
    for name, rule in PLUMS.items():
        picture = folder / f"{name}.png"
        plain = (pyvips.Image.black(1500, 1000, bands=3) + list(PLUM)).cast("uchar")
        plain.copy(interpretation="srgb").pngsave(str(picture))
        commands.append(("access", "image", name, rule))
        commands.append(("ingest", picture, "--identifier", name))
    for words in (*commands, ("object", "put", records)):
        done = museum.service.run(*words)
        assert done.returncode == 0, done.stderr


@contextmanager
def open_profile(playwright: Playwright, folder: Path, *, cookies: bool) -> Iterator[Page]:
    """Open a page of a profile of its own, with or without cookies of others.

    A private window would block cookies of others anyway.
    """
    if cookies:
        preferences = folder / "Default" / "Preferences"
        preferences.parent.mkdir(parents=True)
        preferences.write_text(json.dumps({"profile": COOKIES_OF_OTHERS}))
    context = playwright.chromium.launch_persistent_context(
        folder,
        executable_path=CHROMIUM,
        args=[*CHROMIUM_ARGUMENTS, *([] if cookies else [NO_COOKIES_OF_OTHERS])],
        viewport={"width": 1280, "height": 900},
    )
    context.set_default_timeout(PAGE_SECONDS * 1_000)
    try:
        yield context.new_page()
    finally:
        context.close()


@dataclass
class Visitor:
    """Somebody with a viewer."""

    page: Page
    shown: list[str] = field(default_factory=list)
    """Addresses of restricted pixels that they got."""

    @classmethod
    def open(cls, page: Page, museum: Museum, viewer: str, host: str, image: str) -> Self:
        """Open an image in a viewer on a page of this host."""
        visitor = cls(page)
        page.on("response", visitor._note)
        manifest = f"{museum.base}/presentation/3/{image}/manifest.json"
        page.goto(f"http://{host}:{museum.viewer_port}/{viewer}.html#{manifest}")
        return visitor

    def _note(self, answer: Response) -> None:
        if "/restricted/" in answer.url and answer.ok and answer.url.endswith(".jpg"):
            self.shown.append(answer.url)

    def log_in(self, viewer: str) -> bool:
        """Sign in as somebody of the staff; False if the viewer offers no way in."""
        try:
            with self.page.expect_popup() as opened:
                _BUTTONS[viewer](self.page)
        except TimeoutError:
            return False
        with opened.value.expect_event("close"):
            sign_in(opened.value, "ada")
        return True

    def sees_image(self, seconds: float = EXPECT_SECONDS) -> bool:
        """Return whether the window shows the image, within some seconds."""
        deadline = time.monotonic() + seconds
        while _share_of_plum(self.page) <= MIN_SHARE:
            if time.monotonic() > deadline:
                return False
            self.page.wait_for_timeout(500)
        return True

    def was_shown_by_ticket(self) -> bool:
        """Return whether the address of each tile had a ticket."""
        return bool(self.shown) and all("/v1." in address for address in self.shown)


def _share_of_plum(page: Page) -> float:
    shot = pyvips.Image.new_from_buffer(page.screenshot(), "")[0:3]
    return float((abs(shot - list(PLUM)) < 28).bandand().avg() / 255)


def _press_mirador(page: Page) -> None:
    bar = page.get_by_text("Sign in to the Museum").first
    bar.click(timeout=EXPECT_SECONDS * 1_000)
    page.get_by_role("button", name="Log in").last.click(timeout=EXPECT_SECONDS * 1_000)


def _press_universal(page: Page) -> None:
    page.locator(".overlay.auth .confirm").click(timeout=EXPECT_SECONDS * 1_000)


_BUTTONS: Mapping[str, Callable[[Page], None]] = {
    "mirador": _press_mirador,
    "mirador-alone": _press_mirador,
    "universal": _press_universal,
}
