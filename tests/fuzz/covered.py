"""How much of a target's code its kept inputs run through.

`python -m tests.fuzz.covered TARGET FOLDER…` prints the lines reached and all lines of each module,
as JSON.
"""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

MODULES = {
    "tiff_reader": (
        "vitrine.store.tiff.reading",
        "vitrine.store.tiff.pyramid",
        "vitrine.store.tiff.index",
        "vitrine.deliver.pyramids.head",
        "vitrine.deliver.pyramids.level",
    ),
    "tile": ("vitrine.deliver.tiles.assembly", "vitrine.deliver.tiles.stream"),
    "strips": ("vitrine.deliver.download.joining",),
    "metadata": (
        "vitrine.deliver.embed.avif",
        "vitrine.deliver.embed.exif",
        "vitrine.deliver.embed.gif",
        "vitrine.deliver.embed.jpeg",
        "vitrine.deliver.embed.png",
        "vitrine.deliver.embed.selection",
        "vitrine.deliver.embed.tiff",
        "vitrine.deliver.embed.tiles",
        "vitrine.deliver.embed.webp",
        "vitrine.deliver.embed.xmp",
    ),
    "address": (
        "vitrine.iiif.address",
        "vitrine.iiif.numbers",
        "vitrine.iiif.region",
        "vitrine.iiif.request",
        "vitrine.iiif.rotation",
        "vitrine.iiif.size",
        "vitrine.deliver.tiles.address",
        "vitrine.deliver.tiles.grid",
        "vitrine.deliver.tiles.position",
    ),
    "jpeg2000": (
        "vitrine.ingest.inspect.formats.jp2_boxes",
        "vitrine.ingest.inspect.formats.jp2_codestream",
        "vitrine.ingest.inspect.formats.jp2_coding",
        "vitrine.ingest.inspect.formats.jp2_format",
        "vitrine.ingest.inspect.formats.jp2_header",
        "vitrine.ingest.inspect.formats.jp2_metadata",
        "vitrine.ingest.inspect.formats.jp2_tiles",
    ),
}
"""The modules that each target is about; a test runs through every one of them."""


def covered(target: str, inputs: list[Path]) -> dict[str, list[int]]:
    """Return the lines of functions that `inputs` reach, and lines in all, by module.

    Raises ModuleNotFoundError for a module of `MODULES` that does not exist.
    """
    check = importlib.import_module(f"tests.fuzz.fuzz_{target}").check
    modules = [importlib.import_module(name) for name in MODULES[target]]
    reached: dict[str, set[int]] = {str(module.__file__): set() for module in modules}

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        lines = reached.get(frame.f_code.co_filename)
        if lines is None:
            return None
        lines.add(frame.f_lineno)
        return trace

    for path in inputs:
        data = path.read_bytes()
        sys.settrace(trace)
        try:
            check(data)
        finally:
            sys.settrace(None)
    result = {}
    for module in modules:
        lines = set(_lines(module))
        result[module.__name__] = [len(lines & reached[str(module.__file__)]), len(lines)]
    return result


def _lines(module: ModuleType) -> Iterator[int]:
    """Yield the lines within the module's functions: the others run when it is imported."""
    path = Path(str(module.__file__))
    code = compile(path.read_text(), path, "exec")
    yield from _lines_below(code)


def _lines_below(code: CodeType) -> Iterator[int]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & 2:  # a function's, not a class's
                yield from (line for *_, line in constant.co_lines() if line)
            yield from _lines_below(constant)


if __name__ == "__main__":
    folders = [Path(name) for name in sys.argv[2:]]
    files = [path for folder in folders for path in sorted(folder.iterdir())]
    print(json.dumps(covered(sys.argv[1], files)))
