"""What thumbnails lose by chroma subsampling: bytes, decibels, colour, CPU, by size.

    python -m tests.benchmarks.chroma_subsampling [--rounds 5] [--raw runs/chroma.json]

Four photographs, scaled to each size with Lanczos, encoded at the quality that we serve with all
their colours (4:4:4) and with a quarter of them (4:2:0), decoded, and compared with the scaled
pixels. Every picture and every round is in the raw file.
"""

import argparse
import json
import time
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from PIL import Image
from skimage.color import deltaE_ciede2000, rgb2lab

from loadtest.corpora.photographs import DRAGONFLY, ELEPHANTS, KLEIBER, SEEDING
from loadtest.figures.order_statistics import median
from vitrine.deliver.render.encode import FULL_COLOUR_PIXELS, JPEG_QUALITY
from vitrine.deliver.render.jpeg_codec import encode_pixels
from vitrine.local.debian_files import fetch

SIDES = (90, 128, 200, 256, 300, 400, 512, 768, 1024)
"""Longest side, pixels."""
SUBSAMPLINGS = {"4:4:4": (1, 1), "4:2:0": (2, 2)}


@dataclass(frozen=True)
class Encoded:
    """One picture at one size."""

    picture: str
    side: int
    pixels: int
    subsampling: str
    bytes: int
    psnr: float
    """Decibels of all three channels."""
    colour_error: float
    """Mean CIEDE2000."""
    cpu_milliseconds: list[float]
    """Of encoding, each round."""


def scale(path: Path, side: int) -> Any:
    """Return RGB pixels of a photograph, `side` pixels long."""
    image = Image.open(path).convert("RGB")
    factor = side / max(image.size)
    size = round(image.width * factor), round(image.height * factor)
    return np.ascontiguousarray(image.resize(size, Image.Resampling.LANCZOS))


def measure(name: str, pixels: Any, side: int, rounds: int) -> list[Encoded]:
    """Encode one picture in both ways, round by round."""
    times: dict[str, list[float]] = {kind: [] for kind in SUBSAMPLINGS}
    repeats = max(1, 2_000_000 // pixels[..., 0].size)
    for number in range(rounds + 1):  # the first round warms up
        for kind, factors in sorted(SUBSAMPLINGS.items(), reverse=bool(number % 2)):
            begun = time.thread_time()
            for _ in range(repeats):
                encode_pixels(pixels, JPEG_QUALITY, factors)
            times[kind].append((time.thread_time() - begun) / repeats * 1e3)
    return [
        compare(name, pixels, side, kind, encode_pixels(pixels, JPEG_QUALITY, factors), times[kind])
        for kind, factors in SUBSAMPLINGS.items()
    ]


def compare(
    name: str, pixels: Any, side: int, kind: str, encoded: bytes, times: list[float]
) -> Encoded:
    """Decode a JPEG, and compare it with the pixels that it was made from."""
    decoded = np.asarray(Image.open(BytesIO(encoded)).convert("RGB"))
    error = np.mean((decoded.astype(float) - pixels) ** 2)
    colour = deltaE_ciede2000(rgb2lab(pixels), rgb2lab(decoded))  # type: ignore[no-untyped-call]
    return Encoded(
        name,
        side,
        int(pixels[..., 0].size),
        kind,
        len(encoded),
        float(10 * np.log10(255**2 / error)),
        float(colour.mean()),
        times[1:],
    )


def print_table(results: list[Encoded]) -> None:
    """Print the means over the pictures: of 4:4:4, then of 4:2:0."""
    print("| side | pixels | bytes | dB | Delta E00 | encoding, ms |")
    print("|---|---|---|---|---|---|")
    for side in SIDES:
        ways = [
            [one for one in results if (one.side, one.subsampling) == (side, kind)]
            for kind in SUBSAMPLINGS
        ]
        cells = [
            [f"{mean(one.bytes for one in way):,.0f}" for way in ways],
            [f"{mean(one.psnr for one in way):.1f}" for way in ways],
            [f"{mean(one.colour_error for one in way):.2f}" for way in ways],
            [f"{mean(median(one.cpu_milliseconds) for one in way):.2f}" for way in ways],
        ]
        pixels = mean(one.pixels for one in ways[0])
        print(f"| {side} | {pixels:,.0f} | " + " | ".join(", ".join(two) for two in cells) + " |")


def main() -> None:
    """Measure, print, and keep every picture."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.chroma_subsampling")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--raw", type=Path, default=Path("runs/chroma-subsampling.json"))
    chosen = parser.parse_args()
    results = [
        one
        for file in (DRAGONFLY, KLEIBER, SEEDING, ELEPHANTS)
        for side in SIDES
        for one in measure(file.name, scale(fetch(file), side), side, chosen.rounds)
    ]
    print(f"Quality {JPEG_QUALITY}; 4:4:4 up to {FULL_COLOUR_PIXELS:,} pixels, then 4:2:0.")
    print_table(results)
    chosen.raw.parent.mkdir(parents=True, exist_ok=True)
    chosen.raw.write_text(json.dumps([asdict(one) for one in results], indent=1))
    print(f"Every picture: {chosen.raw}")


if __name__ == "__main__":
    main()
