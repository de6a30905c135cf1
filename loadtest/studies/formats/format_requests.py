"""The requests: the published test's kinds, and its lists of addresses."""

import csv
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from loadtest.errors import InvalidScenario
from loadtest.studies.formats.format_encoders import ComparedFormat
from loadtest.studies.formats.format_pictures import FormatPicture
from loadtest.workload.catalogue import Image
from loadtest.workload.target import INFO, Target

SMALL, LARGE = 200, 2_000
"""Sides of regions, pixels of full resolution, unscaled."""
SIZES = (50, 500, 1_024, 3_000)
"""Widths of the whole image."""
REPEATS = {INFO: 50, "50": 10, "500": 10, "1024": 5, "small region": 20, "large region": 4}
"""Requests of a kind for each picture in a round; one where it is not named here."""
KINDS = (INFO, "full", *(str(size) for size in SIZES), "small region", "large region")


class PictureRequest(NamedTuple):
    """One request, whatever the format."""

    kind: str
    picture: FormatPicture
    rest: str
    """The part of the address after the identifier."""


def study_requests(pictures: Sequence[FormatPicture], seed: int) -> list[PictureRequest]:
    """Return a round's requests, kinds in the order of KINDS; the seed decides the regions."""
    chance = random.Random(seed)
    requests: list[PictureRequest] = []
    for kind in KINDS:
        for picture in pictures:
            for number in range(REPEATS.get(kind, 1)):
                requests.append(
                    PictureRequest(kind, picture, _draw_request(kind, picture, number, chance))
                )
    return requests


def _draw_request(kind: str, picture: FormatPicture, number: int, chance: random.Random) -> str:
    if kind == INFO:
        return "info.json"
    if kind == "full":
        return "full/full/0/default.jpg"
    if kind not in ("small region", "large region"):
        return f"full/{kind},/0/default.jpg"
    side = min(SMALL if kind == "small region" else LARGE, picture.width, picture.height)
    # The published test requested regions at 100,100 only.
    x = chance.randint(0, picture.width - side) if number else min(100, picture.width - side)
    y = chance.randint(0, picture.height - side) if number else min(100, picture.height - side)
    return f"{x},{y},{side},{side}/full/0/default.jpg"


def listed_requests(
    lists: Iterable[Path], dimensions: Path, images: int, requests: int
) -> tuple[list[tuple[str, int, int]], list[tuple[str, str, str]]]:
    """Return the most frequent images of the lists (name, width, height), and the first different
    requests of each list for them: list's name, image's name, and what follows it.

    A line is `name.tif/full/50,/0/default.jpg`. Raises InvalidScenario.
    """
    sizes = _read_sizes(dimensions)
    found: list[tuple[str, str, str]] = []
    for file in lists:
        lines = dict.fromkeys(_read_lines(file))
        split = [line.partition("/") for line in lines]
        found += [(file.stem, Path(name).stem, rest) for name, _, rest in split]
    counts = Counter(name for _, name, _ in found if name in sizes)
    chosen = [name for name, _ in counts.most_common(images)]
    if not chosen:
        raise InvalidScenario(f"the lists request no image of {dimensions}")
    kept: list[tuple[str, str, str]] = []
    for kind in dict.fromkeys(kind for kind, _, _ in found):
        kept += [request for request in found if request[0] == kind and request[1] in chosen][
            :requests
        ]
    return [(name, *sizes[name]) for name in chosen], kept


def format_targets(requests: Iterable[PictureRequest], format_: ComparedFormat) -> list[Target]:
    """Return the same requests to the files of one format."""
    found = []
    for kind, picture, rest in requests:
        name = picture.file(format_)
        path = f"/iiif/2/{name}"
        image = Image(name, picture.width, picture.height, base=path, version=2)
        label = INFO if rest == "info.json" else kind
        found.append(Target(label, f"{path}/{rest}", image))
    return found


def _read_sizes(file: Path) -> dict[str, tuple[int, int]]:
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        return {row["id"]: (int(row["width"]), int(row["height"])) for row in rows}
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InvalidScenario(
            f"{file} must be a CSV file with columns id, width, height: {error}"
        ) from None


def _read_lines(file: Path) -> list[str]:
    try:
        return [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidScenario(f"{file} cannot be read: {error}") from None
