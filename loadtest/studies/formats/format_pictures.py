"""The pictures that are compared, and their files in every format."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pyvips

from loadtest.corpora.mirrored_masters import mirrored_photograph
from loadtest.corpora.photographs import DRAGONFLY, ELEPHANTS, KLEIBER, SEEDING, SUNSET
from loadtest.studies.formats.encoded_pyramid import Pixels
from loadtest.studies.formats.format_encoders import (
    FORMATS,
    ComparedFormat,
    Rates,
    encode_htj2k,
    encode_jp2,
)
from vitrine.local.debian_files import DebianFile, fetch

PHOTOGRAPHS = (ELEPHANTS, KLEIBER, SEEDING, DRAGONFLY, SUNSET)
_TRIES = 5
_NEAR_DECIBELS = 0.1


@dataclass(frozen=True, kw_only=True)
class FormatPicture:
    """One of those compared, before it is encoded."""

    name: str
    width: int
    height: int
    about: str
    photograph: Callable[[], Any]
    sample: Callable[[], Any]
    """The smaller picture it is made of, if any: the lossy rates are determined on it."""

    def pixels(self) -> Pixels:
        """(height, width, 3), sRGB. Raises RuntimeError where it cannot be fetched."""
        return np.ascontiguousarray(self.photograph().numpy())

    def file(self, format_: ComparedFormat) -> str:
        """Return its file's name in this format, which is its identifier as well."""
        return f"{self.name}.{format_.name}{format_.suffix}"

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "width": self.width,
            "height": self.height,
            "about": self.about,
        }


def first_photographs(count: int) -> list[FormatPicture]:
    """Return the first `count` of Debian's photographs, unchanged."""
    return [
        FormatPicture(
            name=Path(one.name).stem,
            width=one.width,
            height=one.height,
            about=f"{one.name} of Debian's {one.package} (SHA-256 {one.sha256})",
            photograph=partial(_read_photograph, one),
            sample=partial(_read_photograph, one),
        )
        for one in PHOTOGRAPHS[:count]
    ]


def stand_ins(sizes: Iterable[tuple[str, int, int]]) -> list[FormatPicture]:
    """Return stand-ins for absent images: a photograph, mirrored and cut to their sizes."""
    return [
        FormatPicture(
            name=name,
            width=width,
            height=height,
            about=f"stands for {name}: {ELEPHANTS.name} (SHA-256 {ELEPHANTS.sha256}), mirrored",
            photograph=partial(mirrored_photograph, width, height),
            sample=partial(
                mirrored_photograph, min(width, ELEPHANTS.width), min(height, ELEPHANTS.height)
            ),
        )
        for name, width, height in sizes
    ]


def _read_photograph(photograph: DebianFile) -> Any:
    return pyvips.Image.new_from_file(str(fetch(photograph)))


def make_files(
    folder: Path, pictures: Sequence[FormatPicture], say: Callable[[str], None]
) -> dict[str, Rates]:
    """Write those that are not there yet; how coarse the lossy ones of each picture are."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for picture in pictures:
        note = folder / f"{picture.name}.json"
        missing = [one for one in FORMATS.values() if not (folder / picture.file(one)).exists()]
        if missing or not note.exists():
            say(f"making {picture.name}: {picture.width} x {picture.height}")
            pixels = picture.pixels()
            rates = matched_rates(np.ascontiguousarray(picture.sample().numpy()))
            for format_ in FORMATS.values():
                part = folder / f"part.{picture.file(format_)}"
                format_.encode(pixels, part, rates)
                part.rename(folder / picture.file(format_))
            note.write_text(json.dumps(asdict(rates)))
        found[picture.name] = Rates(**json.loads(note.read_text()))
    return found


def matched_rates(pixels: Pixels) -> Rates:
    """Return the rates with which both lossy JPEG 2000s have the error of our JPEG tiles."""
    ours = imagecodecs.jpeg8_encode(
        pixels, 90, colorspace="RGB", outcolorspace="YCBCR", subsampling="444"
    )
    target = measure_decibels(pixels, imagecodecs.jpeg8_decode(ours))
    rates = Rates(jp2_decibels=target)
    for _ in range(_TRIES):
        excess = measure_decibels(
            pixels, imagecodecs.jpeg2k_decode(encode_jp2(pixels, rates.jp2_decibels))
        )
        excess -= target
        if abs(excess) < _NEAR_DECIBELS:
            break
        rates = replace(rates, jp2_decibels=round(rates.jp2_decibels - excess, 2))
    for _ in range(_TRIES):
        excess = measure_decibels(
            pixels, imagecodecs.htj2k_decode(encode_htj2k(pixels, rates.htj2k_step))
        )
        excess -= target
        if abs(excess) < _NEAR_DECIBELS:
            break
        # The error grows with the step: 20 dB for ten times, roughly.
        step = rates.htj2k_step * 10 ** (max(-10.0, min(10.0, excess)) / 20)
        rates = replace(rates, htj2k_step=round(step, 6))
    return rates


def measure_decibels(one: Pixels, other: Pixels) -> float:
    """PSNR, infinite for equal ones."""
    squares = sum(
        int(np.square(one[row].astype(np.int32) - other[row]).sum(dtype=np.int64))
        for row in range(len(one))
    )
    return float("inf") if not squares else float(10 * np.log10(255**2 * one.size / squares))
