"""Rules that make texts of cells."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitrine.sources.mapping.template import Template

LANGUAGE = "none"
PAGE_FILES = {"text": "texts", "annotations": "annotations"}
"""Rules that name a file of each image, and the settings of [source] that name their folders."""


@dataclass(frozen=True)
class Piece:
    """A text in one language."""

    template: Template
    language: str = LANGUAGE
    split: str = ""
    """Separator between several values in one cell."""


TextRule = tuple[Piece, ...]
NO_TEMPLATE = Template(("",), ())


@dataclass(frozen=True, kw_only=True)
class Statements:
    """A line of metadata."""

    label: Mapping[str, str]
    value: TextRule
    facet: bool = False
    """True if the site lists objects by its values."""


@dataclass(frozen=True, kw_only=True)
class PageRules:
    """Rules for rows that are pages of an object."""

    of: Template
    """The identifier of the object; a row for which it is empty is no page."""
    image: TextRule = ()
    label: TextRule = ()
    alt_text: TextRule = ()
    width_mm: TextRule = ()
    text: TextRule = ()
    """File with the text that is to be read on the image."""
    annotations: TextRule = ()
    """File with comments on the image, and other annotations that are not its text."""


def read_folders(
    source: Mapping[str, Any], parent: Path, read: Callable[[str, Any], str]
) -> dict[str, Path]:
    """Return the folders of PAGE_FILES that a section names, below `parent`.

    `read` returns a setting by its place, and raises if it is not a text.
    """
    return {
        rule: parent / read(f"source.{setting}", source[setting])
        for rule, setting in PAGE_FILES.items()
        if setting in source
    }
