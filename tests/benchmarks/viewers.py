"""Objects of all shapes in two viewers: what three validators, Mirador and Universal Viewer say.

    python -m tests.benchmarks.viewers [--objects 200] [--skip 0] [--viewer mirador] [--only 51 99]

It starts a service of its own, publishes the objects with images of all sizes, has three validators
of others judge every document, and opens every object in both viewers in Chromium, at the same
time. A canvas counts as drawn when a rectangle of its image's shape and colour is seen. Exit code
1: something is wrong.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import sync_playwright

from tests.conftest import run_service
from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS
from tests.e2e.mixed_objects import Shown, find_faults, publish_mixed_objects
from tests.e2e.viewers import VIEWERS, Viewer, serve_viewers
from tests.e2e.viewing import Seen, open_objects


def open_in(viewer: Viewer, address: str, objects: list[Shown]) -> Seen:
    """Open all objects in a browser of the viewer's own."""
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        report = partial(print, file=sys.stderr, flush=True)
        seen = open_objects(page, viewer, address, objects, report)
        browser.close()
    return seen


def view_objects(
    count: int, skip: int, only: Sequence[int], viewers: list[Viewer]
) -> dict[str, Any]:
    """Publish so many objects; return what validators and viewers say of those that are asked."""
    with tempfile.TemporaryDirectory(prefix="viewers-") as scratch:
        folder = Path(scratch)
        with run_service(folder / "service") as service, serve_viewers() as address:
            objects = publish_mixed_objects(service, folder, count)[skip:]
            names = {f"mixed {number}" for number in only}
            objects = [one for one in objects if not names or one.identifier in names]
            faults = find_faults(objects)
            with ThreadPoolExecutor(len(viewers)) as pool:
                seen = list(pool.map(lambda one: open_in(one, address, objects), viewers))
    return {
        "objects": len(objects),
        "canvases": sum(len(one.pictures) for one in objects),
        "faults": faults,
        "viewers": {
            f"{viewer.name} {viewer.version}": asdict(one)
            for viewer, one in zip(viewers, seen, strict=True)
        },
    }


def main() -> int:
    """Print the counts and everything that is wrong, and keep both."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--objects", type=int, default=200)
    parser.add_argument("--skip", type=int, default=0, help="go on after so many objects")
    parser.add_argument("--only", type=int, nargs="+", default=(), help="open these numbers")
    parser.add_argument("--viewer", choices=[one.name for one in VIEWERS], help="open no other")
    parser.add_argument("--raw", type=Path, default=Path("runs/viewers.json"))
    options = parser.parse_args()
    viewers = [one for one in VIEWERS if options.viewer in (None, one.name)]
    found = view_objects(options.objects, options.skip, options.only, viewers)
    options.raw.parent.mkdir(parents=True, exist_ok=True)
    options.raw.write_bytes(msgspec.json.format(msgspec.json.encode(found)))
    print(f"{found['objects']} objects of {found['canvases']} canvases")
    wrong = list[str]()
    for name, faults in found["faults"].items():
        print(f"{name}: {len(faults)} faults")
        wrong += faults
    for name, seen in found["viewers"].items():
        print(
            f"{name}: {seen['objects']} objects opened, {seen['drawn']} canvases drawn,"
            f" {len(seen['not_turned'])} only when opened by themselves,"
            f" {len(seen['cannot_show'])} that it shows of nobody,"
            f" {len(seen['not_drawn'])} not drawn,"
            f" {len(seen['errors'])} errors, {len(seen['known_errors'])} errors of its own"
        )
        wrong += [f"{name}: {one}" for one in [*seen["not_drawn"], *seen["errors"]]]
    print("\n".join(wrong))
    return 1 if wrong or not found["objects"] else 0


if __name__ == "__main__":
    sys.exit(main())
