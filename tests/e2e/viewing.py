"""Objects opened in a viewer one after the other, and what was drawn of them."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Error, Page

from tests.e2e.mixed_objects import Shown
from tests.e2e.viewers import Viewer, collect_errors, is_drawn
from tests.integration.local.documents import ask

SECONDS = 60
ARTEFACTS = Path(__file__).parents[2] / "artefacts"


@dataclass
class Seen:
    """What a viewer drew, what it did not draw, and its errors."""

    objects: int = 0
    drawn: int = 0
    not_turned: list[str] = field(default_factory=list)
    """Drawn only when opened by themselves, not when the viewer turned to them."""
    not_drawn: list[str] = field(default_factory=list)
    cannot_show: list[str] = field(default_factory=list)
    """Not drawn, as of everybody's objects that are arranged like this."""
    errors: list[str] = field(default_factory=list)
    known_errors: list[str] = field(default_factory=list)


def open_objects(
    page: Page,
    viewer: Viewer,
    address: str,
    objects: Iterable[Shown],
    report: Callable[[str], None] = lambda line: None,
) -> Seen:
    """Open each object in a page of its own, turn to each canvas, and wait until it is drawn."""
    seen, errors = Seen(), collect_errors(page)
    for shown in objects:
        manifest = shown.address(3)
        canvases = [canvas["id"] for canvas in ask(manifest)[1]["items"]]
        assert len(canvases) == len(shown.pictures)
        for index, (canvas, picture) in enumerate(zip(canvases, shown.pictures, strict=True)):
            place = f"{shown.identifier}: canvas {index + 1}"
            here = f"{address}/{viewer.name}.html#{quote(manifest, safe='')}/{index}"
            is_turned = bool(index) and viewer.can_turn
            _open(page, here, canvas if is_turned else "")
            if is_drawn(page, picture, SECONDS):
                seen.drawn += 1
                continue
            _keep(page, f"{viewer.name}-{shown.identifier}-{index + 1}")
            if len(canvases) > 2 and shown.arrangement in viewer.cannot_show:
                seen.cannot_show.append(place)
                continue
            _open(page, here)
            again = seen.not_turned if is_drawn(page, picture, SECONDS) else seen.not_drawn
            again.append(place)
            report(f"{viewer.name}: not drawn at first: {place}")
        seen.objects += 1
        report(f"{viewer.name}: {seen.objects} objects, {seen.drawn} canvases drawn")
        for error in errors:
            known = any(f"({address}{part}" in error for part in viewer.known_errors)
            kept = seen.known_errors if known else seen.errors
            kept.append(f"{shown.identifier}: {error}")
        errors.clear()
    return seen


def _open(page: Page, address: str, canvas: str = "") -> None:
    """Open a viewer; with a canvas, have the one that is open turn to it."""
    if canvas:
        page.evaluate("(canvas) => show(canvas)", canvas)
        return
    page.goto("about:blank")
    page.goto(address)


def _keep(page: Page, name: str) -> None:
    ARTEFACTS.mkdir(exist_ok=True)
    with suppress(Error):
        page.screenshot(path=ARTEFACTS / f"{name}.png")
