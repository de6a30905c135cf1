"""Rounds of encodings: time, size of the file, and distance from the picture."""

import math
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from loadtest.studies.formats.encoded_pyramid import Pixels, decode_whole, open_coded
from loadtest.studies.formats.format_encoders import FORMATS, ComparedFormat, Rates
from loadtest.studies.formats.format_pictures import FormatPicture, measure_decibels
from loadtest.studies.interleaved_rounds import Watch, rotate_items

Row = dict[str, Any]


def encode_rounds(
    pictures: Sequence[FormatPicture],
    rates: dict[str, Rates],
    rounds: int,
    watch: Watch,
    rows: list[Row],
) -> None:
    """Add a row for each round, picture and format; each round begins with another format.

    Ctrl-C keeps the rows so far. Pixels come from memory, files go to disk; one Python thread.
    """
    formats = list(FORMATS.values())
    with tempfile.TemporaryDirectory(prefix="vitrine-") as scratch:
        for number in range(1, rounds + 1):
            for picture in pictures:
                pixels = picture.pixels()
                for format_ in rotate_items(formats, number):
                    progress = watch(f"encoding {picture.name} as {format_.name}, round {number}")
                    progress(0, 0)
                    path = Path(scratch) / picture.file(format_)
                    row = _encode_round(picture, pixels, format_, rates[picture.name], path)
                    row["round"] = number
                    if number == 1:
                        row |= _compare_decoded(pixels, path)
                    rows.append(row)
                    path.unlink()


def _encode_round(
    picture: FormatPicture, pixels: Pixels, format_: ComparedFormat, rates: Rates, path: Path
) -> Row:
    before, begun = os.times(), time.perf_counter()
    format_.encode(pixels, path, rates)
    wall, after = time.perf_counter() - begun, os.times()
    cpu = after.user + after.system - before.user - before.system
    size = path.stat().st_size
    return {
        "picture": picture.name,
        "format": format_.name,
        "megapixels": round(picture.width * picture.height / 1e6, 2),
        "cpu_seconds": round(cpu, 3),
        "wall_seconds": round(wall, 3),
        "bytes": size,
        "bits_per_pixel": round(8 * size / (picture.width * picture.height), 3),
    }


def _compare_decoded(pixels: Pixels, path: Path) -> Row:
    """Compare by our own decoders; None decibels: every value is equal."""
    decoded = decode_whole(open_coded(path))
    found = measure_decibels(pixels, decoded)
    return {
        "psnr_db": None if math.isinf(found) else round(found, 2),
        "equal": bool(np.array_equal(pixels, decoded)),
    }
