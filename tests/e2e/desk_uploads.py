"""Files that are sent from the desk over a connection that breaks."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Page, expect

from tests.e2e.desk_visit import begin_collection, choose_files, connect, master_versions
from tests.e2e.visit import Visit

if TYPE_CHECKING:
    from conftest import Service

BYTES_PER_SECOND = 200_000
"""Speed of a slow line, so that there is something to break."""
SECONDS_EACH = 10
"""In which a file is sent and published by a machine with much to do."""


def check_breaks(visit: Visit, service: "Service", paths: list[Path], run: str) -> None:
    """Send files over a connection that breaks three times, in a page that is reloaded once."""
    page, count = visit.page, len(paths)
    line = page.context.new_cdp_session(page)
    connect(line, is_broken=False, bytes_per_second=BYTES_PER_SECOND)
    begin_collection(page, f"Breaks {run}", paths)
    for part in (1, 2):
        _wait_for_masters(page, service, run, count * part // 8)
        connect(line, is_broken=True)
        expect(page.get_by_text("The connection is broken")).to_be_visible()
        connect(line, is_broken=False, bytes_per_second=BYTES_PER_SECOND)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()  # the third break, while some files have not begun
    expect(page.get_by_role("heading", name=f"Breaks {run}")).to_be_visible()
    page.get_by_role("link", name="Uploads").click()
    choose_files(page, paths)
    expect(page.get_by_text(f"{count:,} of {count:,} files prepared.")).to_be_visible(
        timeout=count * SECONDS_EACH * 1_000
    )
    page.go_back()
    expect(page.locator("tbody tr")).to_have_count(count)
    keys = master_versions(service, f"breaks-{run}/")
    assert keys == sorted(f"breaks-{run}/{path.name}" for path in paths)


def _wait_for_masters(page: Page, service: "Service", run: str, count: int) -> None:
    deadline = time.monotonic() + count * SECONDS_EACH
    while len(master_versions(service, f"breaks-{run}/")) < count:
        assert time.monotonic() < deadline, "the masters do not arrive"
        page.wait_for_timeout(100)
