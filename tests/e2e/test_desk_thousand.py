"""A thousand masters dropped into the desk, over a connection that breaks three times."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.desk_uploads import check_breaks
from tests.e2e.desk_visit import draw_photographs
from tests.e2e.visit import OpenPage

if TYPE_CHECKING:
    from conftest import Service

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _browser_answers() -> None:
    """Let the browser run for longer than those of other tests, which would be stuck."""


def test_a_thousand_masters_arrive_once(
    open_page: OpenPage, service: "Service", tmp_path: Path
) -> None:
    run = secrets.token_hex(3)
    paths = draw_photographs(tmp_path, 1_000, f"break-{run}")
    check_breaks(open_page("/desk/"), service, paths, run)
