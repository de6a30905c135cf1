"""What a picture costs in each format: bytes, CPU, and how far it is from what was rendered.

    python -m tests.benchmarks.output_formats [--rounds 5]

Stored tiles of 256 and 512 pixels, and the sizes !400 and !1024, of three photographs. Each is
encoded as it is delivered, without metadata; a stored tile as a JPEG costs nothing, and is what its
JPEG XL is packed from. CPU is the median of rounds in turn, of one thread. Fidelity is that to the
pixels before encoding, which a viewer of the full photograph would see.
"""

import argparse
import io
import time
from collections.abc import Callable
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

import imagecodecs
import numpy as np
import pyvips
from PIL import Image
from skimage.color import deltaE_ciede2000, rgb2lab
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from loadtest.corpora.photographs import DRAGONFLY, KLEIBER, SEEDING
from loadtest.figures.order_statistics import median
from vitrine.deliver.render.encode import AVIF_QUALITY, encode_image
from vitrine.deliver.render.job import Job
from vitrine.deliver.render.jxl_codec import pack_jpeg
from vitrine.deliver.render.pipeline import prepare_libvips
from vitrine.ingest.recipe import STANDARD
from vitrine.local.debian_files import fetch

TILES_EACH = 2
TILES, SIZES = (256, 512), (400, 1024)
MORE_EFFORT = (2, 4)
OTHER_QUALITIES = (80,)

Encode = Callable[[], bytes]


class Encoded(NamedTuple):
    """One picture in one format."""

    bytes: int
    milliseconds: float
    psnr: float
    ssim: float
    delta_e: float


def encoders(picture: Any, jpeg: Encode) -> dict[str, Encode]:
    """Return by name what encodes a picture, whose JPEG `jpeg` makes."""
    stored = jpeg()
    named: dict[str, Encode] = {
        "jpg": jpeg,
        "jxl": lambda: pack_jpeg(stored),
        "webp": partial(encode_image, picture, "webp", Job()),
        "avif": partial(encode_image, picture, "avif", Job()),
    }
    save = partial(picture.heifsave_buffer, compression="av1", keep="none", subsample_mode="on")
    for effort in MORE_EFFORT:
        named[f"avif, effort {effort}"] = partial(save, Q=AVIF_QUALITY, effort=effort)
    for quality in OTHER_QUALITIES:
        named[f"avif, quality {quality}"] = partial(save, Q=quality, effort=0)
    return named


def measure(pixels: Any, encode: Encode, rounds: int) -> Encoded:
    """Return what an encoder makes of pixels, and what it takes."""
    seconds = []
    for _ in range(rounds):
        begun = time.process_time()
        body = encode()
        seconds.append(time.process_time() - begun)
    shown = decode(body)
    colours = deltaE_ciede2000(rgb2lab(pixels), rgb2lab(shown))  # type: ignore[no-untyped-call]
    return Encoded(
        len(body),
        median(seconds) * 1000,
        float(peak_signal_noise_ratio(pixels, shown)),  # type: ignore[no-untyped-call]
        float(structural_similarity(pixels, shown, channel_axis=2)),  # type: ignore[no-untyped-call]
        float(np.mean(colours)),
    )


def decode(body: bytes) -> Any:
    """Return RGB pixels of any of the formats."""
    if body[4:8] == b"JXL ":
        return imagecodecs.jpegxl_decode(body)
    return np.asarray(Image.open(io.BytesIO(body)).convert("RGB"))


def pictures(photograph: Any) -> dict[str, list[tuple[Any, Encode | None]]]:
    """Return by name the pictures of a photograph, with what makes the JPEG if that is stored."""
    found: dict[str, list[tuple[Any, Encode | None]]] = {}
    for side in TILES:
        for number in range(TILES_EACH):
            # Along the diagonal, on the grid.
            x = photograph.width * (number + 1) // (TILES_EACH + 1) // side * side
            y = photograph.height * (number + 1) // (TILES_EACH + 1) // side * side
            tile = photograph.crop(x, y, side, side).copy_memory()
            found.setdefault(f"tile {side}", []).append((tile, partial(encode_tile, tile.numpy())))
    for side in SIZES:
        found[f"!{side}"] = [(photograph.thumbnail_image(side, height=side).copy_memory(), None)]
    return found


def encode_tile(pixels: Any) -> bytes:
    """Encode a tile of full resolution as the standard recipe does."""
    return bytes(
        imagecodecs.jpeg8_encode(
            pixels, STANDARD.quality, outcolorspace="YCBCR", subsampling=(1, 1)
        )
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--rounds", type=int, default=5, help="encodings of which CPU is the median"
    )
    rounds: int = parser.parse_args().rounds
    prepare_libvips()
    results: dict[tuple[str, str], list[Encoded]] = {}
    for file in (DRAGONFLY, KLEIBER, SEEDING):
        photograph = pyvips.Image.new_from_file(str(fetch(file))).colourspace("srgb").copy_memory()
        for name, shown in pictures(photograph).items():
            for picture, stored in shown:
                jpeg = stored or partial(encode_image, picture, "jpg", Job())
                for format_, encode in encoders(picture, jpeg).items():
                    made = measure(picture.numpy(), encode, rounds)
                    results.setdefault((name, format_), []).append(made)
    print("picture    format              kB   of jpg   CPU ms     dB    SSIM   dE00")
    for (name, format_), made_ in results.items():
        jpegs = sum(one.bytes for one in results[name, "jpg"])
        print(
            f"{name:10} {format_:16} {fmean(one.bytes for one in made_) / 1000:6.1f}"
            f" {sum(one.bytes for one in made_) / jpegs:8.2f}"
            f" {fmean(one.milliseconds for one in made_):8.1f}"
            f" {fmean(one.psnr for one in made_):6.1f}"
            f" {fmean(one.ssim for one in made_):.4f}"
            f" {fmean(one.delta_e for one in made_):6.2f}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
