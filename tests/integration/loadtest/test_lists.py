"""The published requests of Universal Viewer can be run as a list, where somebody has them.

They are in the repository IIIF/htj2k without a licence: `REQUEST_LISTS` names a folder of them.
"""

import csv
import os
from pathlib import Path

import pytest

from loadtest.fleet.locust_command import LoadTest, run_load_test
from loadtest.workload.catalogue import Image
from tests.integration.loadtest.answering_server import StartServer

LISTS = Path(os.environ.get("REQUEST_LISTS", ""))
SCENARIO = """
[model]
kind = "url-list"
file = "{}"
prefix = "/iiif/2/"
deduplicate = true
"""


@pytest.mark.skipif(not (LISTS / "uv_urls.txt").exists(), reason="no folder with uv_urls.txt")
def test_each_published_request_is_made_once_and_answered(
    tmp_path: Path, start_server: StartServer
) -> None:
    with (LISTS / "dimensions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    images = [Image(f"{r['id']}.tif", int(r["width"]), int(r["height"])) for r in rows]
    server = start_server(images)
    (tmp_path / "s.toml").write_text(SCENARIO.format(LISTS.resolve() / "uv_urls.txt"))
    result = run_load_test(LoadTest(scenario=tmp_path / "s.toml", url=server.url, users=(4,)))
    expected = set((LISTS / "uv_urls.txt").read_text().split())
    sent = [path for paths in server.sequences for path in paths]
    assert sorted(sent) == sorted(f"/iiif/2/{line}" for line in expected)
    assert (result["complete"], result["failures"]) == (True, 0)
