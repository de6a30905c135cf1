"""What the viewer-request function executes: CloudFront ends one that takes too long.

How much of CloudFront's time that is can be seen in an account alone; what may grow with an address
can be counted here. What V8's own functions do, such as regular expressions, is not counted.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest

from stacks.constructs.edge_function_code import function_code
from tests.unit.edge.edge_function import Event, event
from tests.unit.edge.edge_vectors import VECTORS
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.edge.functions import VIEWER_REQUEST

COUNTER = Path(__file__).with_name("count_characters.js")
PAGE = REPOSITORY / "docs/explanations/what-the-edge-does.md"
REST = "0,0,512,512/512,512/0/default.jpg"
OPEN_TILE = 4_000
"""Most characters of the deployed text that an ordinary request has executed."""
LONGEST = 50_000
"""Most characters that any path has executed, of the 2,048 bytes that are let in."""
HOSTILE = (
    "a" * 2_000,
    "a/" * 980,
    "%2F" * 660,
    "%C3%A9" * 330,
    "(%20" * 490,
    "./" * 980,
    "%" * 2_000,
)


def count_characters(events: list[Event], folder: Path) -> list[int]:
    """Return how many characters of the deployed function each event has executed."""
    text = folder / "deployed.js"
    text.write_text(function_code(VIEWER_REQUEST))
    done = subprocess.run(
        ["node", COUNTER, text],
        input=json.dumps(events),
        capture_output=True,
        text=True,
        check=True,
    )
    counts: list[int] = json.loads(done.stdout)
    return counts


@pytest.fixture(scope="module")
def tile(tmp_path_factory: pytest.TempPathFactory) -> int:
    [count] = count_characters([event("GET", f"/iiif/3/a/{REST}")], tmp_path_factory.mktemp("t"))
    return count


def test_ordinary_requests_execute_the_function_once(tmp_path: Path, tile: int) -> None:
    events = [event(vector["method"], vector["uri"]) for vector in VECTORS]
    short = [one for one in events if len(one["request"]["uri"]) < 200]
    assert 0 < tile <= max(count_characters(short, tmp_path)) <= OPEN_TILE


def test_no_address_makes_the_function_work_without_bound(tmp_path: Path) -> None:
    paths = [f"/iiif/3/{part}/{REST}"[:2_048] for part in HOSTILE]
    paths += [f"/{part}"[:2_048] for part in HOSTILE]
    assert max(count_characters([event("GET", path) for path in paths], tmp_path)) <= LONGEST


def test_the_page_says_how_much_that_is(tile: int) -> None:
    found = re.search(r"executes ([\d,]+) characters .* at most ([\d,]+)", PAGE.read_text())
    assert found
    assert int(found[1].replace(",", "")) == tile
    assert int(found[2].replace(",", "")) == LONGEST
