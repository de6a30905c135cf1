"""The rows of a table that are about one object."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from vitrine.iiif.presentation.model import Canvas, Range
from vitrine.sources.mapping.mets import MetsStructure
from vitrine.sources.mapping.template import Row


@dataclass
class ObjectRows:
    """What the rows of one object come to."""

    row: int
    identifier: str
    values: Row
    structure: MetsStructure | None = None
    """Pages and parts, of a record in METS."""
    canvases: list[Canvas] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    named: list[Mapping[str, str]] = field(default_factory=list)
    """Names of the files of each canvas, by their rules."""
    on_page: dict[int, list[int]] = field(default_factory=dict)
    """Places of the canvases of each page of the structure."""

    def ranges(self, language: str) -> tuple[Range, ...]:
        """Return the parts of the structure, with headings in a language."""
        return self.structure.ranges(self.on_page, language) if self.structure else ()

    def say_kept(self) -> str:
        """Return a sentence about what its images are while its rule of access cannot be read."""
        names = [one.image for one in self.canvases if one.image]
        if not names:
            return "The object is not published."
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        return (
            "The object is not published or changed, and what is published of its images "
            f"({', '.join(names[:3])}{more}) is as open as before."
        )

    def file_names(self) -> list[str]:
        """Return the name of each canvas's file: an image whose name is reserved has another."""
        return [
            PurePosixPath(self.files[one.image]).stem if one.image in self.files else one.image
            for one in self.canvases
        ]
