"""The rows of a table that are about one object."""

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from vitrine.iiif.presentation.model import Canvas
from vitrine.present.mapping.template import Row


@dataclass
class ObjectRows:
    """What the rows of one object come to."""

    row: int
    identifier: str
    values: Row
    canvases: list[Canvas] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    """What its row names as the text of each canvas."""

    def file_names(self) -> list[str]:
        """Return the name of each canvas's file: an image whose name is reserved has another."""
        return [
            PurePosixPath(self.files[one.image]).stem if one.image in self.files else one.image
            for one in self.canvases
        ]
