"""Each process loads what it runs: ceilings of modules, and the page within bounds of them."""

import re

from docs.build.assets_page import CONVERTER, GATEWAY, MODULES, READER, STEPS, loaded_files
from docs.build.saved_runs import ROOT
from stacks.constructs.python_function import PIXEL_STEPS

PAGE = ROOT / "docs" / "reference" / "assets.md"
ROW = re.compile(r"^\| `([\w.]+)` \| (\d+) \|", re.MULTILINE)
CEILINGS = {
    "record_rejection": 41,
    "record_failure": 39,
    "record_lost_execution": 40,
    "invalidate_edge": 32,
    "update_gallery": 88,
    "publish_objects": 156,
    "record_changes": 38,
    "answer_request": 229,
    "update_collections": 218,
    "write_dumps": 49,
    "count_visits": 55,
    "update_search": 123,
    "read_conversion": 62,
    "request_conversion": 62,
    "start_ingest": 68,
    "withdraw_image": 68,
    "publish_image": 77,
    "migrate_master": 78,
    "reconcile": 80,
    "verify_access_master": 90,
    "convert_master": 140,
    "answer_photo": 145,
    "authorize_visitor": 69,
    "search_content": 75,
    "answer_mcp": 60,
    "read_pages": 76,
}
"""Most modules of `vitrine` that the Lambda of a step may load."""
CONTAINER_CEILINGS = {CONVERTER: 137, READER: 89, GATEWAY: 257}
FOREIGN = ("vitrine.cli", "vitrine.local", "vitrine.adapters.memory")


def test_every_step_has_a_ceiling() -> None:
    assert set(CEILINGS) == set(STEPS)


def _names(module: str) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in loaded_files(module)]


def test_a_process_loads_little_more_than_it_runs() -> None:
    counts = {module: len(loaded_files(module)) for module in MODULES}
    ceilings = {
        module: CONTAINER_CEILINGS.get(module) or CEILINGS[module.split(".")[1]]
        for module in MODULES
    }
    assert not {name: count for name, count in counts.items() if count > ceilings[name]}


def test_no_process_loads_commands_or_fakes() -> None:
    prefixes = tuple(f"{name.replace('.', '/')}/" for name in FOREIGN)
    foreign = {
        module: [name for name in _names(module) if name.startswith(prefixes)] for module in MODULES
    }
    assert not {module: names for module, names in foreign.items() if names}


def test_a_step_without_pixels_loads_no_conversion() -> None:
    steps = [step for step in STEPS if step not in PIXEL_STEPS]
    assert steps
    assert not [
        step
        for step in steps
        if any(
            name.startswith("vitrine/ingest/convert/") for name in _names(f"lambdas.{step}.handler")
        )
    ]


def test_the_page_is_current_within_a_tenth() -> None:
    """A few modules more or fewer need no new page: `python -m docs.build.assets_page`."""
    printed = {module: int(count) for module, count in ROW.findall(PAGE.read_text())}
    assert set(printed) == set(MODULES)
    for module, count in printed.items():
        assert abs(len(loaded_files(module)) - count) <= max(3, count // 10), module
