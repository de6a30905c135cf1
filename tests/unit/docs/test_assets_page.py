"""Each process loads what it runs: ceilings of modules, and the page within bounds of them."""

import re

import pytest

from docs.build.assets_page import CONVERTER, GATEWAY, MODULES, READER, STEPS, loaded_files
from docs.build.saved_runs import ROOT
from stacks.constructs.python_function import PIXEL_STEPS

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "reference" / "assets.md"
ROW = re.compile(r"^\| `([\w.]+)` \| (\d+) \|", re.MULTILINE)
CEILINGS = {
    "record_rejection": 45,
    "record_failure": 44,
    "record_lost_execution": 44,
    "invalidate_edge": 32,
    "update_gallery": 79,
    "publish_objects": 150,
    "record_changes": 43,
    "answer_request": 207,
    "update_collections": 202,
    "write_dumps": 52,
    "update_search": 116,
    "read_conversion": 60,
    "request_conversion": 60,
    "start_ingest": 66,
    "withdraw_image": 66,
    "publish_image": 76,
    "migrate_master": 76,
    "reconcile": 78,
    "read_header": 111,
    "verify_access_master": 88,
    "convert_master": 129,
    "answer_photo": 144,
    "admit_visitor": 65,
    "search_inside": 78,
    "read_pages": 75,
}
"""Most modules of `vitrine` that the Lambda of a step may load."""
CONTAINER_CEILINGS = {CONVERTER: 131, READER: 83, GATEWAY: 218}
FOREIGN = ("vitrine.cli", "vitrine.local", "vitrine.adapters.memory")


def test_every_step_has_a_ceiling() -> None:
    assert set(CEILINGS) == set(STEPS)


@pytest.mark.parametrize("module", MODULES)
def test_a_process_loads_little_more_than_it_runs(module: str) -> None:
    ceiling = CONTAINER_CEILINGS.get(module) or CEILINGS[module.split(".")[1]]
    assert len(loaded_files(module)) <= ceiling


@pytest.mark.parametrize("module", MODULES)
def test_no_process_loads_commands_or_fakes(module: str) -> None:
    loaded = [path.relative_to(ROOT).as_posix() for path in loaded_files(module)]
    prefixes = tuple(f"{name.replace('.', '/')}/" for name in FOREIGN)
    assert not [path for path in loaded if path.startswith(prefixes)]


@pytest.mark.parametrize("step", sorted(set(STEPS) - PIXEL_STEPS))
def test_a_step_without_pixels_loads_no_conversion(step: str) -> None:
    loaded = [path.relative_to(ROOT).as_posix() for path in loaded_files(f"lambdas.{step}.handler")]
    assert not [path for path in loaded if path.startswith("vitrine/ingest/convert/")]


def test_the_page_is_current_within_a_tenth() -> None:
    """A few modules more or fewer need no new page: `python -m docs.build.assets_page`."""
    printed = {module: int(count) for module, count in ROW.findall(PAGE.read_text())}
    assert set(printed) == set(MODULES)
    for module, count in printed.items():
        assert abs(len(loaded_files(module)) - count) <= max(3, count // 10), module
