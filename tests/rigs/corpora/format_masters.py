"""Small masters of every kind, made by other libraries than the conversion's, with their colours.

Tests convert them, the corruption measurement damages them, the long run repeats them.
"""

from pathlib import Path

from tests.rigs.corpora.avif_gif_bmp_masters import AVIF_GIF_BMP_KINDS
from tests.rigs.corpora.corpus_master import MadeKind
from tests.rigs.corpora.jpeg2000_masters import JPEG_2000_KINDS
from tests.rigs.corpora.jpeg_png_webp_masters import OTHER_KINDS
from tests.rigs.corpora.odd_tiffs import ODD_KINDS
from tests.rigs.corpora.photoshop_masters import PHOTOSHOP_KINDS
from tests.rigs.corpora.tiff_colours import COLOUR_KINDS
from tests.rigs.corpora.tiff_layouts import LAYOUT_KINDS

KINDS: tuple[MadeKind, ...] = (
    *(*LAYOUT_KINDS, *COLOUR_KINDS, *OTHER_KINDS, *JPEG_2000_KINDS, *ODD_KINDS),
    *(*AVIF_GIF_BMP_KINDS, *PHOTOSHOP_KINDS),
)
"""All of them; names are unique."""


def make_all(folder: Path) -> dict[str, Path]:
    """Write every kind into `folder`; the paths by name."""
    made = {}
    for kind in KINDS:
        made[kind.name] = folder / f"{kind.name}{kind.suffix}"
        kind.make(made[kind.name])
    return made
