"""Prints docs/reference/assets.md: `python -m docs.build.assets_page`.

A test compares the page with the code within a tenth, so that not every new line needs a new page.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docs.build.saved_runs import ROOT
from stacks.api import ANSWERER
from stacks.constructs.authorization_function import AUTHORIZER
from stacks.constructs.content_search_function import INSIDE_SEARCHER
from stacks.constructs.mcp_function import MCP_ANSWERER
from stacks.constructs.photo_function import PHOTO_ANSWERER
from stacks.constructs.python_function import PIXEL_STEPS
from stacks.count_visits import COUNTER
from stacks.present import LISTER, PUBLISHER
from stacks.update_collections import UPDATER
from stacks.update_search import SEARCHER
from stacks.write_dumps import DUMPER

GATEWAY = "vitrine.processes.gateway"
CONVERTER = "lambdas.convert_master.task"
READER = "lambdas.read_pages.runtime"
STEPS = sorted(path.parent.name for path in ROOT.glob("lambdas/*/handler.py"))
IN_CONTAINERS = [CONVERTER, READER, GATEWAY]
MODULES = [
    *(f"lambdas.{step}.handler" for step in STEPS if f"lambdas.{step}.runtime" != READER),
    *IN_CONTAINERS,
]
NOT_IN_ASSETS = ("cli", "local")
_HEAD = """\
# What is deployed, and what each process loads

The asset that all Lambdas share and the images of the gateway, the converter and the reader of
pages hold the service, `vitrine/` without its commands and its one-machine mode, and the handlers
(`stacks/constructs/asset_contents.py`). Of it each process loads the modules it runs:
`vitrine/bootstrap/` is imported part by part. Printed by
`python -m docs.build.assets_page`; `python -m docs.build.cold_starts` prints what these imports
cost, compiled and as sources. What the layers hold is in
[ADR 0016](../adr/0016-lambda-layers.md).

The service in an asset: {lines:,} lines of Python, {kibibytes:,} KiB.

| process | modules of `vitrine` | lines of them | layers |
|---|---|---|---|
"""
_LOADED = """
import json, sys
__import__(sys.argv[1])
ours = [m.__file__ for n, m in sys.modules.items() if n.split(".")[0] == "vitrine" and m.__file__]
print(json.dumps(ours))
"""


def assets_page() -> str:
    """Return the page as Markdown."""
    files = service_files()
    kibibytes = sum(path.stat().st_size for path in files) // 1024
    return _HEAD.format(lines=sum(map(_lines, files)), kibibytes=kibibytes) + "".join(_rows())


def service_files() -> list[Path]:
    """Return the Python files that every asset with the service holds."""
    service = ROOT / "vitrine"
    return [
        path
        for path in service.rglob("*.py")
        if path.relative_to(service).parts[0] not in NOT_IN_ASSETS
    ]


@cache
def loaded_files(module: str) -> tuple[Path, ...]:
    """Return the files of `vitrine` that a fresh process has read once it imported `module`."""
    return tuple(Path(path) for path in _import_afresh(module))


def _rows() -> Iterator[str]:
    for module in MODULES:
        files = loaded_files(module)
        lines = sum(map(_lines, files))
        yield f"| `{module}` | {len(files)} | {lines:,} | {layers_of(module)} |\n"


def layers_of(module: str) -> str:
    """Return the names of the layers of a process's Lambda."""
    step = module.split(".")[1]
    if not module.endswith(".handler"):
        return "none: a container"
    if step in {PUBLISHER, LISTER, DUMPER, SEARCHER, INSIDE_SEARCHER}:
        return "powertools, documents"
    if step == AUTHORIZER:
        return "powertools, authorization"
    if step == PHOTO_ANSWERER:
        return "powertools, libvips, door"
    if step == MCP_ANSWERER:
        return "powertools, mcp"
    if step == ANSWERER:
        return "powertools, api"
    if step == COUNTER:
        return "powertools, statistics"
    if step == UPDATER:
        return "powertools, collections"
    return "powertools, libvips" if step in PIXEL_STEPS else "powertools"


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def _import_afresh(module: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED, module],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return list(json.loads(done.stdout))


if __name__ == "__main__":
    print(assets_page(), end="")
