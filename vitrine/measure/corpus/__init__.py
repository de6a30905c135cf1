"""Small masters of every kind, made by other libraries than the conversion's, with their colours.

Tests convert them, the corruption measurement damages them, the long run repeats them.
"""

from pathlib import Path

from vitrine.measure.corpus.jpeg2000 import JPEG_2000_KINDS
from vitrine.measure.corpus.made import MadeKind
from vitrine.measure.corpus.others import OTHER_KINDS
from vitrine.measure.corpus.tiff_colours import COLOUR_KINDS
from vitrine.measure.corpus.tiff_layouts import LAYOUT_KINDS

KINDS: tuple[MadeKind, ...] = LAYOUT_KINDS + COLOUR_KINDS + OTHER_KINDS + JPEG_2000_KINDS
"""All of them; names are unique."""


def make_all(folder: Path) -> dict[str, Path]:
    """Write every kind into `folder`; the paths by name."""
    made = {}
    for kind in KINDS:
        made[kind.name] = folder / f"{kind.name}{kind.suffix}"
        kind.make(made[kind.name])
    return made
