"""The sources of catalogues: CSV, image information documents, our own JSON."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote, urlsplit

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Image
from loadtest.workload.target import largest_within

_UNLIMITED = 2**62


def images_from_csv(text: str, prefix: str = "/iiif/3/", version: int = 3) -> list[Image]:
    """Columns identifier, width and height in pixels, and weight if there is one; others are left.

    An identifier's base URI is `prefix` and the identifier, percent-encoded. Raises
    InvalidScenario.
    """
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    header = set(rows.fieldnames or ())
    if not {"identifier", "width", "height"} <= header:
        raise InvalidScenario(
            "the first line of the CSV must name the columns identifier, width and height "
            f"(and weight, if you want), not {', '.join(rows.fieldnames or ('nothing',))}"
        )
    images = []
    for row in rows:
        try:
            images.append(_read_row(row, prefix, version))
        except (ValueError, TypeError):
            raise InvalidScenario(
                f"line {rows.line_num} of the CSV: width, height and weight must be numbers, "
                f"not {[row.get(name) for name in ('width', 'height', 'weight')]}"
            ) from None
    return images


def _read_row(row: Mapping[str, str], prefix: str, version: int) -> Image:
    identifier = row["identifier"].strip()
    return Image(
        identifier,
        int(row["width"]),
        int(row["height"]),
        float(row.get("weight") or 1),
        base=prefix + quote(identifier, safe=":"),
        version=version,
    )


def images_as_json(images: Iterable[Image]) -> str:
    """Write all that is known of the images, for another process."""
    return json.dumps([asdict(image) for image in images])


def images_from_json(text: str) -> list[Image]:
    """Read what `images_as_json` wrote. Raises InvalidScenario."""
    try:
        return [_from_json(values) for values in json.loads(text)]
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidScenario(f"not the JSON of a catalogue: {error!r}") from None


def _from_json(values: dict[str, Any]) -> Image:
    levels = tuple((width, height) for width, height in values["levels"])
    width, height = values["largest"]
    return Image(**values | {"levels": levels, "largest": (width, height)})


def image_from_info(document: Any, url: str) -> Image:
    """Return the image that the `info.json` at `url`, of version 2 or 3, describes.

    Raises InvalidScenario for a document without what a request for the image needs.
    """
    path = urlsplit(url).path.removesuffix("/info.json")
    try:
        width, height = int(document["width"]), int(document["height"])
        version = 3 if "id" in document and "@id" not in document else 2
        [tiles, *_] = document.get("tiles") or [{"width": 256}]
        across = int(tiles["width"])
        image = Image(
            path.rpartition("/")[2],
            width,
            height,
            base=path,
            version=version,
            tile_width=across,
            tile_height=int(tiles.get("height", across)),
            levels=_read_levels(document, width, height, tiles.get("scaleFactors") or ()),
            largest=_largest_size(document, width, height),
        )
    except (KeyError, TypeError, ValueError, AttributeError, InvalidScenario) as error:
        raise InvalidScenario(f"{url} is no image information: {error}") from None
    return image


def _read_levels(
    document: Mapping[str, Any], width: int, height: int, factors: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """Return the levels of `scaleFactors`; empty without factors.

    Their sizes come from `sizes` if those are just the levels, as OpenSeadragon takes them."""
    if not factors:
        return ()
    counted = range(max(factors).bit_length())
    levels = tuple((-(-width // (1 << level)), -(-height // (1 << level))) for level in counted)
    listed = {(int(size["width"]), int(size["height"])) for size in document.get("sizes", ())}
    ordered = tuple(sorted(listed | {(width, height)}, reverse=True))
    fits = len(ordered) == len(levels) and all(
        _scale_factor(width, across) == _scale_factor(height, down) == 1 << level
        for level, (across, down) in enumerate(ordered)
    )
    return ordered if fits else levels


def _scale_factor(whole: int, part: int) -> int:
    return (2 * whole + part) // (2 * part)


def _largest_size(document: Mapping[str, Any], width: int, height: int) -> tuple[int, int]:
    """Return the size of `max` under the limits of the document (version 3, section 5.3; version 2
    has them in its profile)."""
    profile = document.get("profile")
    limits: dict[str, Any] = dict(document)
    for entry in profile if isinstance(profile, list) else ():
        limits |= entry if isinstance(entry, dict) else {}
    across = int(limits.get("maxWidth", _UNLIMITED))
    down = int(limits.get("maxHeight", across))
    area = int(limits.get("maxArea", _UNLIMITED))
    image = Image("largest", width, height)
    longer = max(width, height)
    side = min(longer, across * longer // width, down * longer // height)
    return largest_within(image, area, side)
