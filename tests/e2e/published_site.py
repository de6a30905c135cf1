"""A small collection, published by the command that curators use, and the pages it gets."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pyvips

if TYPE_CHECKING:
    from conftest import Service

COLLECTION = "described-pictures"
SINGLE, BOOK = "single-picture", "picture-book"
PAGES: Mapping[str, str] = {
    "home": "/",
    "collection": f"/collections/{COLLECTION}",
    "object": f"/objects/{SINGLE}",
    "book": f"/objects/{BOOK}",
    "about": "/about",
    "search": "/search?q=picture",
    "browse": "/browse",
    "map": "/map",
    "places": "/browse/place-on-the-map",
    "facet": "/browse/maker",
    "value": "/browse/maker/b-maker",
    "embedded": f"/embed/{SINGLE}",
}
"""Every kind of page, by name."""
_ROWS = f"""Name,Part of,Title,Maker,Year,North,East,Town,About,File,Alt,Licence
{SINGLE},,A picture,A. Maker,1642,52.01,4.36,Delft,Colours meet.,sp-1.png,Red meets blue.,CC BY 4.0
{BOOK},,A book,B. Maker; C. Maker,1650,35.01,135.77,,Two pages and what is on them.,,,CC0
one,{BOOK},First page,,,,,,,sp-2.png,Blue meets green.,
two,{BOOK},Second page,,,,,,,sp-3.png,Green meets red.,
"""
_RULES = f"""
[collection]
identifier = "{COLLECTION}"
label = "Described pictures"
language = "en"
[source]
table = "pictures.csv"
masters = "scans"
[object]
identifier = "{{Name}}"
label = "{{Title}}"
summary = "{{About}}"
image = "{{File}}"
alt_text = "{{Alt}}"
rights = "{{Licence}}"
nav_date = "{{Year}}"
latitude = "{{North}}"
longitude = "{{East}}"
place = "{{Town}}"
required_statement = {{label = "Credit", value = "{{Maker}}"}}
[page]
of = "{{Part of}}"
image = "{{File}}"
label = "{{Title}}"
alt_text = "{{Alt}}"
[metadata]
"Maker" = {{value = "{{Maker}}", split = ";", facet = true}}
"""


def publish_site(service: "Service", folder: Path) -> None:
    """Publish the collection, and wait until the last of it is written."""
    (folder / "scans").mkdir()
    for number in (1, 2, 3):
        ramp = pyvips.Image.xyz(1500, 1000)
        bands = [ramp[0] * 255 / 1500, ramp[1] * 255 / 1000, (ramp[0] * number) % 256]
        picture = bands[0].bandjoin(bands[1:]).cast("uchar").copy(interpretation="srgb")
        picture.pngsave(str(folder / "scans" / f"sp-{number}.png"))
    (folder / "pictures.csv").write_text(_ROWS, encoding="utf-8")
    (folder / "collection.toml").write_text(_RULES, encoding="utf-8")
    done = service.run("collection", "publish", folder / "collection.toml")
    assert done.returncode == 0, done.stdout + done.stderr
