"""The modules that each target is about; a test sends the target's inputs through every one."""

import importlib
import sys
from pathlib import Path
from types import FrameType
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


def find_untouched(target: str, inputs: list[Path]) -> set[str]:
    """Return the modules of a target of which no function is called by its inputs.

    Raises ModuleNotFoundError for a module of `MODULES` that does not exist.
    """
    check = importlib.import_module(f"tests.fuzz.fuzz_{target}").check
    files = {str(importlib.import_module(name).__file__): name for name in MODULES[target]}
    called: set[str] = set()

    def note_call(frame: FrameType, event: str, argument: Any) -> None:
        called.add(frame.f_code.co_filename)

    sys.settrace(note_call)
    try:
        for path in inputs:
            check(path.read_bytes())
    finally:
        sys.settrace(None)
    return {name for file, name in files.items() if file not in called}
