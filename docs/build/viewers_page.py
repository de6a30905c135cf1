"""The page docs/reference/viewers-and-tools.md: a table of rows, each of which is a test.

`tests/integration/readers` opens our documents in the pinned version of each reader and compares
what it sees with `Row.seen`, so that the page says nothing that no longer happens.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from docs.build.markdown import table
from docs.build.saved_runs import ROOT


@dataclass(frozen=True)
class Reader:
    """A viewer or a tool that reads our documents."""

    title: str
    package: str
    """Name in the lock."""
    lock: str
    """Path of the lock that pins it."""
    runs_in: str
    """Chromium, Node or Python."""


@dataclass(frozen=True)
class Row:
    """What a reader does with a document of ours."""

    name: str
    """Key of the reader, a hyphen, what is looked at."""
    does: str
    """Request or property that the row is about."""
    seen: str
    """Parts of addresses, values or messages that the test sees, of versions 3 and 2."""
    standard: str
    """Deviation from the standard; empty if it does as the standard says."""
    ours: str
    """Measure of ours; empty for nothing."""

    @property
    def reader(self) -> str:
        """Return the key of its reader."""
        return self.name.rpartition("-")[0]


_PINNED = "tests/integration/readers/package-lock.json"
_OWN = "package-lock.json"
_SERVED = "package.json"
_VALIDATORS = "requirements/validators.txt"
READERS: Mapping[str, Reader] = {
    "openseadragon-4": Reader("OpenSeadragon", "openseadragon-4", _PINNED, "Chromium"),
    "openseadragon-5": Reader("OpenSeadragon", "openseadragon-5", _PINNED, "Chromium"),
    "openseadragon-6": Reader("OpenSeadragon", "openseadragon", _OWN, "Chromium"),
    "mirador": Reader("Mirador", "mirador", _SERVED, "Chromium"),
    "universalviewer": Reader("Universal Viewer", "universalviewer", _SERVED, "Chromium"),
    "clover": Reader(
        "Clover", "@samvera/clover-iiif", "tests/e2e/clover/package-lock.json", "Chromium"
    ),
    "leaflet": Reader("Leaflet-IIIF", "leaflet-iiif", _OWN, "Chromium"),
    "allmaps": Reader("Allmaps' parser", "@allmaps/iiif-parser", _PINNED, "Node"),
    "manifesto": Reader("manifesto", "manifesto.js", _PINNED, "Node"),
    "parser": Reader("@iiif/parser", "@iiif/parser", _PINNED, "Node"),
    "helpers": Reader("@iiif/helpers", "@iiif/helpers", _PINNED, "Node"),
    "hyperion": Reader("Hyperion's validator", "@hyperion-framework/validator", _OWN, "Node"),
    "prezi3": Reader("iiif-prezi3", "iiif-prezi3", _VALIDATORS, "Python"),
    "tripoli": Reader("tripoli", "tripoli", _VALIDATORS, "Python"),
}
_TILES = "asks for the coarsest level as a whole, and for the tile in the lower right corner"
_BOTH_SIZES = "3: full/188,126 and 185,211; 2: full/188, and 185,"
_SIZES = "with sizes that are rounded down, the coarsest level"
_PLAN = (
    "takes the levels of tiles from `sizes` if there is one for each; the standard does not say so"
)
_LEVELS = "we list the levels as they are stored, ours rounded up; either request is answered"
_FILES = "in a static copy of level 0, pictures that are missing"
_COPY = "the copy has every name that it asks for"
_EARLY = "a `navDate` before Christ, which XML Schema allows"
_NO_EARLY = "we publish no `nav_date` before the year 1; a table's is left out with a note"
_FLAT = "a canvas of no height, which is not allowed"
_CHECKED = "we check sizes ourselves: a canvas has those of its image"
ROWS = (
    Row("openseadragon-4-tiles", _TILES, _BOTH_SIZES, "", "tiles are stored in these sizes"),
    Row("openseadragon-4-sizes", _SIZES, "full/187,125", _PLAN, _LEVELS),
    Row("openseadragon-4-files", _FILES, "3: none; 2: none", "", _COPY),
    Row("openseadragon-5-tiles", _TILES, _BOTH_SIZES, "", "tiles are stored in these sizes"),
    Row("openseadragon-5-sizes", _SIZES, "full/187,125", _PLAN, _LEVELS),
    Row("openseadragon-5-files", _FILES, "3: none; 2: none", "", _COPY),
    Row(
        "openseadragon-6-tiles",
        _TILES,
        "3: full/188,126 and 185,211; 2: full/188, and 185,211",
        "the canonical size of version 2 is `w,`; both are allowed",
        "both are the same stored tile, and the canonical address is in `Link`",
    ),
    Row("openseadragon-6-sizes", _SIZES, "full/187,125", _PLAN, _LEVELS),
    Row("openseadragon-6-files", _FILES, "3: none; 2: none", "", _COPY),
    Row("mirador-start", "opens the canvas that `start` names", "3: two; 2: two", "", ""),
    Row(
        "mirador-services",
        "of both image services of a canvas, takes",
        "3: /iiif/3; 2: /iiif/2",
        "",
        "version 3 comes first in a manifest of version 3",
    ),
    Row("mirador-files", _FILES, "3: none; 2: none", "", _COPY),
    Row(
        "universalviewer-start",
        "opens the canvas that `start` names",
        "3: one; 2: one",
        "ignores `start` and `startCanvas`",
        "our page of it names the canvas of a Content State, else that of `start`, in its own "
        "setting",
    ),
    Row(
        "universalviewer-services",
        "of both image services of a canvas, takes",
        "3: /iiif/2; 2: /iiif/2",
        "takes the older one, though version 3 comes first",
        "images of a manifest 3 also name their service of version 2",
    ),
    Row(
        "universalviewer-thumbnails",
        "asks for thumbnails",
        "3: full/90,; 2: full/90,",
        "computes an address instead of using the `thumbnail` that the manifest has; `w,` is not "
        "canonical in version 3",
        "we answer it; it is rendered from the smallest level",
    ),
    Row(
        "universalviewer-files",
        _FILES,
        "3: full/90,; 2: full/90,",
        "a service of level 0 has the sizes that it lists, and no other",
        "a static copy has no thumbnails in it; tiles are there",
    ),
    Row(
        "clover-start",
        "opens the canvas that `start` names",
        "3: one; 2: one",
        "ignores `start` and `startCanvas`",
        "",
    ),
    Row(
        "clover-thumbnails",
        "asks for thumbnails",
        "3: full/751,501; 2: full/751,",
        "",
        "thumbnails are stored levels",
    ),
    Row(
        "clover-files",
        _FILES,
        "3: none; 2: full/751,501",
        "in version 2 names a size as `w,h` that the manifest has as `w,`",
        "open a static copy by its manifests of version 3",
    ),
    Row(
        "leaflet-tiles",
        _TILES,
        "3: 0,0,3001,2003/188,126 and 185,211; 2: 0,0,3001,2003/188, and 185,",
        "the canonical region of all of an image is `full`",
        "the same stored tile; a static copy has both names",
    ),
    Row("leaflet-files", _FILES, "3: none; 2: none", "", _COPY),
    Row(
        "allmaps-tiles",
        "asks for the coarsest level",
        "3: /iiif/3/one/0,0,3001,2003/188,126/0/default.jpg; "
        "2: /iiif/2/one/0,0,3001,2003/188,/0/default.jpg",
        "the canonical region of all of an image is `full`",
        "the same stored tile; a static copy has both names",
    ),
    Row(
        "allmaps-services",
        "of both image services of a canvas, takes",
        "3: /iiif/3/one; 2: /iiif/2/one",
        "",
        "",
    ),
    Row("allmaps-dates", f"{_EARLY}: reads", "3: none; 2: none", "passes over it", _NO_EARLY),
    Row(
        "manifesto-start",
        "reads `start` and `startCanvas`",
        "3: canvas 1; 2: canvas 2",
        "ignores `start` of version 3",
        "a manifest of version 2 says it as well",
    ),
    Row(
        "manifesto-rights",
        "`getLicense()`",
        "3: none; 2: http://creativecommons.org/licenses/by-sa/4.0/",
        "does not read `rights` of version 3",
        "ask it for the property `rights`; version 2 has `license`",
    ),
    Row(
        "manifesto-thumbnails",
        "`getThumbs(90)`",
        "3: /iiif/3/one/full/90,/0/default.jpg; 2: /iiif/2/one/full/90,/0/default.jpg",
        "`w,` is not canonical in version 3, and no listed size",
        "we answer it",
    ),
    Row(
        "manifesto-dates",
        f"{_EARLY}: reads",
        "3: Invalid Date; 2: Invalid Date",
        "JavaScript wants six digits of such years",
        _NO_EARLY,
    ),
    Row(
        "parser-licence",
        "upgrades a manifest 2 to version 3",
        "rights: none; start: /presentation/2/read/canvas/2",
        "loses `license`",
        "who reads our manifest 3 gets `rights`",
    ),
    Row(
        "helpers-sizes",
        "picks a picture of 200 pixels",
        "3: /iiif/3/one/full/188,/0/default.jpg; 2: /iiif/2/one/full/188,/0/default.jpg",
        "`w,` is not canonical in version 3",
        "we answer it; in a static copy of version 3 it is missing",
    ),
    Row(
        "helpers-limits",
        "takes for the largest size that may be requested",
        "3: 256 x 256; 2: 5000 x 5000",
        "in version 3 takes the size of a tile for it and passes over `maxWidth`",
        "it then asks for sizes that are listed, which we store",
    ),
    Row(
        "hyperion-dates",
        f"{_EARLY}: says",
        '.navDate should match format "date-time"',
        "refuses it",
        _NO_EARLY,
    ),
    Row(
        "hyperion-places",
        "`navPlace`, an extension: says",
        "should NOT have additional properties",
        "a manifest may have properties of extensions",
        "we publish it; our copy of the same schema allows it",
    ),
    Row("hyperion-heights", f"{_FLAT}: says", "valid", "accepts it", _CHECKED),
    Row(
        "prezi3-dates",
        f"{_EARLY}: says",
        "navDate: Input should be a valid datetime or date, invalid character in year",
        "refuses it",
        _NO_EARLY,
    ),
    Row("prezi3-places", "`navPlace`, an extension: says", "valid", "", ""),
    Row(
        "prezi3-unknown",
        "a property that no context has: says",
        "valid",
        "accepts it",
        "our own schema refuses it",
    ),
    Row("prezi3-heights", f"{_FLAT}: says", "valid", "accepts it", _CHECKED),
    Row(
        "tripoli-collections",
        "a collection: says",
        "Error: Unknown @type: 'sc:Collection'",
        "knows manifests alone",
        "collections of version 2 are checked by our own tests",
    ),
    Row(
        "tripoli-dates",
        "`yesterday` as a `navDate`: says",
        "valid",
        "accepts it",
        "`nav_date` is checked when it is published",
    ),
    Row("tripoli-heights", f"{_FLAT}: says", "valid", "accepts it", _CHECKED),
)
"""All that is known, in the order of the page."""

_HEAD = """\
# How viewers and tools read us

What others ask of our images and read in our manifests, where that deviates from the standards, and
what we do about it. Every row is a test: `tests/integration/readers` opens one object of three
images of 3001 by 2003 pixels, as the service describes it and as a static copy does, in the version
of each reader that is named here, and compares what it sees with the column *seen*. `3` and `2` are
the versions of the Image and Presentation APIs; the images are `one`, `two` and `three`, and the
object is to be opened at `two`. `make docs` generates this page from
`docs/build/viewers_page.py`; a newer version of a reader that behaves otherwise fails its row.

What several of them do is tested elsewhere: searching in a book
(`tests/e2e/test_content_search.py`), signing in (`tests/e2e/test_viewers_of_version_1.py`),
objects of all shapes (`tests/e2e/test_viewers.py`), every edge of Leaflet's tiles
(`tests/integration/edge/test_leaflet.py`).
"""


def viewers_page() -> str:
    """Return the page as Markdown."""
    parts = [_HEAD]
    for key, reader in READERS.items():
        rows = [
            (row.does, _as_code(row.seen), row.standard or "no", row.ours or "nothing")
            for row in ROWS
            if row.reader == key
        ]
        parts.append(f"## {reader.title} {find_version(reader)}\n")
        parts.append(table(("what", "seen", "does it deviate?", "what we do"), rows, words=4))
    return "\n".join(parts)


def find_version(reader: Reader) -> str:
    """Return the version that is pinned. Raises KeyError if none is."""
    text = (ROOT / reader.lock).read_text(encoding="utf-8")
    if reader.lock == _VALIDATORS:
        pinned: dict[str, str] = dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))
        return pinned[reader.package]
    document = json.loads(text)
    if reader.lock == _SERVED:
        return str(document["viewers"][reader.package]["version"])
    return str(document["packages"][f"node_modules/{reader.package}"]["version"])


def _as_code(seen: str) -> str:
    parts = (part.strip() for part in seen.split(";"))
    return "; ".join(f"`{part}`" for part in parts)
