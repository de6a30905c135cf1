"""What a visitor's first look at a photograph takes, by the recipe of its access master.

    python -m tests.benchmarks.first_look [--raw runs/first-look.json]

OpenSeadragon opens three photographs in Chromium, in a stage of 1440 by 788 pixels with the
options of our page. Each is written by several recipes, and each request is answered with the bytes
of the stored tile, as the gateway answers it. Prints requests, bytes, and how far the screen is
from that of a pyramid that lost next to nothing (quality 100).
"""

import argparse
import io
import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pyvips
from PIL import Image
from playwright.sync_api import Page, Route, sync_playwright
from skimage.color import deltaE_ciede2000, rgb2lab
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from loadtest.corpora.photographs import DRAGONFLY, KLEIBER, SEEDING
from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS
from vitrine.deliver.embed.tiles import read_tile_segments
from vitrine.deliver.pyramids.level import StoredLevel, read_level
from vitrine.deliver.tiles.address import parse_tile_address
from vitrine.deliver.tiles.assembly import TileAssembly
from vitrine.deliver.tiles.crop import crop
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.size import Limits
from vitrine.iiif.version import VERSIONS
from vitrine.ingest.convert.metadata.carried_metadata import Metadata
from vitrine.ingest.convert.pyramid.pyramid_output import FileOutput
from vitrine.ingest.convert.pyramid.pyramid_pages import plan_pages
from vitrine.ingest.convert.pyramid.pyramid_writer import write_pyramid
from vitrine.ingest.convert.pyramid.tile_encoder import LevelEncoders, TileEncoder
from vitrine.local.debian_files import fetch
from vitrine.store.tiff.pyramid import read_levels
from vitrine.store.tiff.reading import TiffReader

HOST = "http://viewer.test"
SCRIPT = (
    Path(__file__).resolve().parents[2]
    / "node_modules/openseadragon/build/openseadragon/openseadragon.min.js"
)
WIDTH, HEIGHT = 1440, 788
STAGE = f"<body style='margin: 0'><div id='stage' style='width:{WIDTH}px;height:{HEIGHT}px'></div>"
OPEN = """async (source) => {
    window.viewer = OpenSeadragon({
        element: document.getElementById('stage'), tileSources: source, drawer: 'canvas',
        smoothTileEdgesMinZoom: Infinity, showNavigationControl: false, showNavigator: true,
        navigatorPosition: 'BOTTOM_RIGHT', navigatorSizeRatio: 0.16, visibilityRatio: 0.7,
        minZoomImageRatio: 0.8, maxZoomPixelRatio: 3, animationTime: 0 });
    await new Promise((done) => viewer.addOnceHandler('open', done));
    await new Promise((done) => {
        const looks = setInterval(() => {
            if (!viewer.world.getItemAt(0).getFullyLoaded()) return;
            clearInterval(looks);
            setTimeout(done, 300);
        }, 20);
    });
}"""


@dataclass(frozen=True)
class Variant:
    """Tiles of all levels, the quality of full resolution (4:4:4), and the others' form."""

    tile: int
    quality: int
    reduced_quality: int
    reduced_subsampling: str

    @property
    def name(self) -> str:
        """What the table calls it."""
        reduced = f"{self.reduced_quality} {self.reduced_subsampling}"
        return f"{self.tile}, {self.quality} 444, {reduced}"


VARIANTS = tuple(
    Variant(tile, 90, quality, subsampling)
    for tile in (256, 512)
    for quality, subsampling in (
        (90, "444"),
        (90, "420"),
        (85, "444"),
        (85, "420"),
        (80, "444"),
        (80, "420"),
        (75, "420"),
    )
)


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a first look took."""

    photograph: str
    variant: str
    requests: int
    """With the image information."""
    bytes: int
    file_bytes: int
    psnr: float
    ssim: float
    delta_e: float
    """Mean CIEDE2000 of the pixels of the stage."""


class Pyramid:
    """A written pyramid, and the answers that the gateway gives to requests for its tiles."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        reader = TiffReader(self._read, len(self.data))
        self.levels: list[StoredLevel] = [
            read_level(level, len(self.data)) for level in read_levels(reader)
        ]
        segments = read_tile_segments(self._read, len(self.data), "rights", name=path.name)
        self._assemblies = [TileAssembly(level, segments) for level in self.levels]

    def _read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]

    def information(self) -> dict[str, Any]:
        """Return the image information."""
        first = self.levels[0]
        return ImageInformation(
            uri=f"{HOST}/iiif/3/x",
            width=first.width,
            height=first.height,
            tile_width=first.tile_width,
            tile_height=first.tile_height,
            levels=[(level.width, level.height) for level in self.levels],
            limits=Limits(area=25_000_000),
        ).document(VERSIONS["3"])

    def tile(self, path: str) -> bytes:
        """Return the JPEG of a tile's address. Raises LookupError for any other address."""
        address = parse_tile_address(path)
        if address is None:
            raise LookupError(path)
        full = self.levels[0]
        width = min(address.width, full.width - address.x)
        number = (-(-width // address.size_width) - 1).bit_length()
        level = self.levels[number]
        column = (address.x >> number) // level.tile_width
        row = (address.y >> number) // level.tile_height
        offset, length = level.tile_range(column, row)
        jpeg = self._assemblies[number].assemble(self.data[offset : offset + length])
        size = (
            min(level.tile_width, level.width - column * level.tile_width),
            min(level.tile_height, level.height - row * level.tile_height),
        )
        if jpeg is None or size[0] != address.size_width:
            raise LookupError(path)
        if size != (level.tile_width, level.tile_height):
            jpeg = crop(jpeg, *size)
        assert jpeg
        return jpeg


def write(photograph: Path, variant: Variant, path: Path) -> None:
    """Write an access master of a photograph."""
    image = pyvips.Image.new_from_file(str(photograph)).colourspace("srgb").copy_memory()
    encoders = LevelEncoders(
        full=TileEncoder(variant.tile, variant.quality, "444"),
        reduced=TileEncoder(variant.tile, variant.reduced_quality, variant.reduced_subsampling),
    )
    profile = pyvips.Operation.call("profile_load", "srgb")
    plan = plan_pages(image.width, image.height, encoders, profile=profile, metadata=Metadata())
    with FileOutput(path) as output:
        write_pyramid(image, plan, encoders, output, scratch=path.parent, threads=1)


def look(page: Page, pyramid: Pyramid) -> tuple[list[int], Any]:
    """Open a pyramid; return the bytes of each answer, and the pixels of the stage."""
    answers: list[int] = []
    document = json.dumps(pyramid.information()).encode()

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(HOST)
        if path == "/":
            route.fulfill(body=STAGE, content_type="text/html")
            return
        body = document if path.endswith("info.json") else pyramid.tile(path)
        kind = "application/json" if path.endswith("info.json") else "image/jpeg"
        answers.append(len(body))
        route.fulfill(body=body, content_type=kind)

    page.unroute_all()
    page.route("**/*", answer)
    page.goto(f"{HOST}/")
    page.add_script_tag(content=SCRIPT.read_text())
    page.evaluate(OPEN, f"{HOST}/iiif/3/x/info.json")
    shot = Image.open(io.BytesIO(page.locator("#stage").screenshot()))
    return answers, np.asarray(shot.convert("RGB"))


def compare(photograph: Path, page: Page, scratch: Path) -> list[Look]:
    """Look at a photograph by every variant."""
    path = scratch / "pyramid.tif"
    references = {}
    for tile in {variant.tile for variant in VARIANTS}:
        write(photograph, Variant(tile, 100, 100, "444"), path)
        # Where tiles meet, the viewer's own drawing depends on their size.
        _, references[tile] = look(page, Pyramid(path))
    looks = []
    for variant in VARIANTS:
        reference = references[variant.tile]
        write(photograph, variant, path)
        pyramid = Pyramid(path)
        answers, shown = look(page, pyramid)
        looks.append(
            Look(
                photograph=photograph.stem,
                variant=variant.name,
                requests=len(answers),
                bytes=sum(answers),
                file_bytes=len(pyramid.data),
                psnr=float(peak_signal_noise_ratio(reference, shown)),
                ssim=float(structural_similarity(reference, shown, channel_axis=2)),
                delta_e=float(np.mean(deltaE_ciede2000(rgb2lab(reference), rgb2lab(shown)))),
            )
        )
    return looks


def main() -> int:
    """Print the table, and write what it was made of."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--raw", type=Path, help="where every look is written, as JSON")
    raw: Path | None = parser.parse_args().raw
    photographs = [fetch(file) for file in (DRAGONFLY, KLEIBER, SEEDING)]
    looks: list[Look] = []
    with sync_playwright() as running, tempfile.TemporaryDirectory() as scratch:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        for photograph in photographs:
            looks += compare(photograph, page, Path(scratch))
        browser.close()
    print("tile, full, reduced     requests   kB of each   file   dB    SSIM   dE00")
    for variant in VARIANTS:
        of = [one for one in looks if one.variant == variant.name]
        kilobytes = " ".join(f"{one.bytes / 1000:4.0f}" for one in of)
        requests = " ".join(str(one.requests) for one in of)
        print(
            f"{variant.name:22} {requests:>10} {kilobytes}"
            f" {sum(one.file_bytes for one in of) / 1e6:6.1f} {fmean(o.psnr for o in of):5.1f}"
            f" {fmean(o.ssim for o in of):.4f} {fmean(o.delta_e for o in of):.2f}"
        )
    if raw:
        raw.parent.mkdir(parents=True, exist_ok=True)
        raw.write_text(json.dumps([asdict(one) for one in looks], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
