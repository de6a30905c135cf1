"""The encoders, each as a command that turns one TIFF into one image for a server."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY

_WORKER = (sys.executable, str(Path(__file__).with_name("encode_worker.py")))


@dataclass(frozen=True, kw_only=True)
class Encoder:
    """An encoder: `command` holds {source} and {target}; larger masters than `largest` megapixels
    are not given to it."""

    name: str
    command: tuple[str, ...]
    suffix: str = ".tif"
    largest: float = 2_000
    jpeg2000: bool = False
    """Decoded with imagecodecs, not libvips."""
    tree: Path = REPOSITORY
    """The checkout whose code it is."""

    @property
    def in_process(self) -> bool:
        """True if it runs in our worker, which times itself."""
        return self.command[: len(_WORKER)] == _WORKER

    @property
    def installed(self) -> bool:
        """True if its program is installed."""
        return shutil.which(self.command[0]) is not None

    def command_for(self, source: Path, target: Path) -> list[str]:
        """Return the command with its files."""
        return [part.format(source=source, target=target) for part in self.command]


STANDARD = Encoder(name="vitrine standard", command=(*_WORKER, "standard", "{source}", "{target}"))
CONVERT_MASTER = Encoder(
    name="vitrine ConvertMaster",
    command=(*_WORKER, "convert-master", "{source}", "{target}"),
)
"""The same with all that the Lambda does, from a bucket of an emulator into another."""
BEFORE = "vitrine before"
"""Name of our standard recipe in another checkout."""
ENCODERS: tuple[Encoder, ...] = (
    STANDARD,
    CONVERT_MASTER,
    Encoder(name="tiffsave Q90", command=(*_WORKER, "tiffsave-90", "{source}", "{target}")),
    Encoder(name="tiffsave Q89 4:2:0", command=(*_WORKER, "tiffsave-89", "{source}", "{target}")),
    Encoder(
        name="vips CLI Q90",
        command=("vips", "tiffsave", "{source}", "{target}", "--compression=jpeg", "--Q=90",
                 "--tile", "--pyramid", "--tile-width=256", "--tile-height=256"),
        largest=100,
    ),
    Encoder(
        name="ImageMagick PTIF Q90",
        command=("convert-im6.q16", "{source}", "-quality", "90", "-compress", "JPEG",
                 "-define", "tiff:tile-geometry=256x256", "ptif:{target}"),
        largest=10,
    ),
    Encoder(
        name="OpenJPEG 3 bpp",
        command=("opj_compress", "-i", "{source}", "-o", "{target}", "-r", "8", "-n", "7",
                 "-p", "RPCL", "-b", "64,64", "-I", "-threads", "2"),
        suffix=".jp2", largest=10, jpeg2000=True,
    ),
    Encoder(
        name="Grok 3 bpp",
        command=("grk_compress", "-i", "{source}", "-o", "{target}", "-r", "8", "-n", "7",
                 "-p", "RPCL", "-b", "64,64", "-I", "-H", "2"),
        suffix=".jp2", largest=10, jpeg2000=True,
    ),
    Encoder(
        name="OpenJPH (HTJ2K)",
        command=("ojph_compress", "-i", "{source}.ppm", "-o", "{target}", "-qstep", "0.008",
                 "-num_decomps", "6", "-prog_order", "RPCL"),
        suffix=".jph", largest=100, jpeg2000=True,
    ),
)  # fmt: skip
"""All encoders; those not installed are left out of a run and named in its report."""
