"""CPU milliseconds of a photograph with one thumbnail and with three, next to other engines.

    python -m tests.benchmarks.photo_door [--rounds 5] [--node FOLDER/node_modules]
        [--megapixels 30]

Rivals are in .build/peers/photo-doors once `vitrine-loadtest study photo-door` has run.

The four photographs of Baresoil's benchmark, as `vitrine-loadtest study photos` makes them: 9 to 11
MB. With `--megapixels` one photograph of that size instead, which is one of them enlarged: its
name, size and SHA-256 are printed. Each round asks every engine for every photograph, in turn. Ours
does the whole request: it verifies the form, reads EXIF, XMP and IPTC, computes the checksum, and
writes the answer in parts. The others only make the thumbnail, of at most 500 pixels; Pillow reads
EXIF too, as Baresoil's program did. All clean up (levels, edges), but for iiif-processor, which
cannot; "sharp, careful" is sharp with `fastShrinkOnLoad: false`. Fidelity is of the same thumbnails
without clean-up, as JPEGs, next to Lanczos from the whole decoding: SSIM of the luma, and ΔE00.
"""

import argparse
import io
import json
import os
import subprocess
import tempfile
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
from PIL import Image, ImageFilter, ImageOps
from skimage.color import deltaE_ciede2000, rgb2lab
from skimage.metrics import structural_similarity

from loadtest.corpora.camera_photographs import Sample, make_large_sample, make_samples
from loadtest.figures.order_statistics import median
from tests.unit.photos.photo_bench import PhotoBench, parts_of
from vitrine.photos.thumbnails import parse_thumbnails
from vitrine.settings import PhotoOptions

SCRIPT = Path(__file__).with_suffix(".js")
SIDE = 500
EXIF = 0x8769
Engine = Callable[[Path, bool], tuple[float, Image.Image]]
"""Makes the thumbnails of a photograph, cleaned up or not: CPU milliseconds, and that of 500."""


def ours(bench: PhotoBench, names: str) -> Engine:
    """Return the photo door as a function, asked for these thumbnails."""
    token = bench.token(photos_per_hour=1_000_000, most_bytes=64 << 20)

    def run(path: Path, clean: bool) -> tuple[float, Image.Image]:
        body = path.read_bytes()
        query = f"store=no&thumbnails={names}&clean={'yes' if clean else 'no'}"
        began = time.process_time()
        answer = bench.send(body, query, token)
        used = time.process_time() - began
        thumbnails = parts_of(answer)[1]
        assert len(thumbnails) == len(names.split(","))
        return 1_000 * used, next(one for one in thumbnails if max(one.size) == SIDE)

    return run


def pillow(path: Path, clean: bool, *, draft: bool) -> tuple[float, Image.Image]:
    """Make a thumbnail as Baresoil's program did; without `draft` from the whole decoding."""
    body = path.read_bytes()
    began = time.process_time()
    image: Image.Image = Image.open(io.BytesIO(body))
    image.getexif().get_ifd(EXIF)
    if draft:
        image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    else:
        image = ImageOps.contain(image, (SIDE, SIDE), Image.Resampling.LANCZOS)
    image = ImageOps.exif_transpose(image)
    if clean:
        image = ImageOps.autocontrast(image, cutoff=0.5)
        image = image.filter(ImageFilter.UnsharpMask(1, 50, 0))
    file = io.BytesIO()
    image.save(file, "JPEG", quality=85)
    return 1_000 * (time.process_time() - began), Image.open(file)


@contextmanager
def node(modules: Path) -> Iterator[Callable[[str], Engine]]:
    """Start the engines on Node, and return what makes one of them by its name."""
    command = ["node", str(SCRIPT), str(modules.resolve())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        sending, answering = process.stdin, process.stdout
        assert sending is not None
        assert answering is not None

        def engine(name: str) -> Engine:
            def run(path: Path, clean: bool) -> tuple[float, Image.Image]:
                request = {"engine": name, "path": str(path.resolve()), "clean": clean}
                sending.write(f"{json.dumps(request)}\n".encode())
                sending.flush()
                answer = json.loads(answering.readline())
                picture = Image.open(io.BytesIO(b64decode(answer["thumbnail"])))
                assert max(picture.size) == SIDE
                return float(answer["milliseconds"]), picture

            return run

        yield engine


def main() -> None:
    """Measure, and print the medians."""
    os.environ["VIPS_CONCURRENCY"] = "1"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--node", type=Path, default=None, help="node_modules of the rivals")
    parser.add_argument("--megapixels", type=int, help="of one enlarged photograph")
    options = parser.parse_args()
    samples = [Path(one.path) for one in choose_samples(options.megapixels)]
    with tempfile.TemporaryDirectory() as folder:
        bench = PhotoBench(Path(folder), most_bytes=64 << 20, most_pixels=200_000_000)
        offered = parse_thumbnails(PhotoOptions().thumbnails)
        bench.services = replace(bench.services, thumbnails=offered)
        engines: dict[str, Engine] = {
            "ours, one thumbnail": ours(bench, "medium"),
            "ours, three": ours(bench, "small,medium,large"),
            "Pillow, reduced by the decoder": lambda *what: pillow(*what, draft=True),
            "Pillow, whole": lambda *what: pillow(*what, draft=False),
        }
        if not options.node:
            measure(engines, samples, options.rounds)
            return
        with node(options.node) as make:
            engines |= {name: make(name) for name in ("sharp", "sharp, careful", "iiif-processor")}
            measure(engines, samples, options.rounds)


def choose_samples(megapixels: int | None) -> list[Sample]:
    """Return Baresoil's four photographs, or one of this size."""
    folder = Path(".build/photos/samples")
    if not megapixels:
        return make_samples(folder, print)
    sample = make_large_sample(folder, megapixels, print)
    print(json.dumps(sample.as_json()))
    return [sample]


def measure(engines: dict[str, Engine], samples: list[Path], rounds: int) -> None:
    """Run all engines in turn, and print time and fidelity of each."""
    found: dict[str, list[float]] = {name: [] for name in engines}
    for number in range(rounds + 1):
        for path in samples:
            for name, run in engines.items():
                milliseconds, _ = run(path, True)
                if number:  # the first round warms up
                    found[name].append(milliseconds)
    for name, values in found.items():
        middle, worst = median(values), max(values)
        pairs = [fidelity(engines[name](path, False)[1], path) for path in samples]
        similar, different = (fmean(column) for column in zip(*pairs, strict=True))
        least = min(one for one, _ in pairs)
        print(
            f"{name:32} {middle:6.1f} ms  most {worst:6.1f}  {3_600_000 / middle:7,.0f} an hour "
            f"and core  SSIM {similar:.4f} (least {least:.4f})  ΔE00 {different:.3f}"
        )


def fidelity(thumbnail: Image.Image, path: Path) -> tuple[float, float]:
    """Return SSIM and mean ΔE00 of a thumbnail, next to Lanczos from the whole decoding."""
    with Image.open(path) as photograph:
        whole = photograph.convert("RGB").resize(thumbnail.size, Image.Resampling.LANCZOS)
    lumas = (np.asarray(one.convert("L")) for one in (whole, thumbnail))
    similar = structural_similarity(*lumas, gaussian_weights=True, sigma=1.5, data_range=255)
    labs = (rgb2lab(np.asarray(one.convert("RGB"))) for one in (whole, thumbnail))
    return float(similar), float(deltaE_ciede2000(*labs).mean())


if __name__ == "__main__":
    main()
