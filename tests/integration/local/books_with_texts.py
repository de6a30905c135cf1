"""A collection of books with one page, whose text a file of ALTO says, published by its command."""

import json
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tests.integration.local.machines import draw

if TYPE_CHECKING:
    from conftest import Service

SECONDS = 300
_RULES = """[collection]
identifier = "{collection}"
label = "Books with texts"
language = "en"
[source]
table = "books.csv"
masters = "scans"
texts = "texts"
[object]
identifier = "{{Number}}"
label = "{{Title}}"
image = "{{Page}}"
"""
_ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description>
<MeasurementUnit>pixel</MeasurementUnit></Description><Layout>
<Page WIDTH="{width}" HEIGHT="{height}"><PrintSpace><TextBlock><TextLine>
{words}
</TextLine></TextBlock></PrintSpace></Page></Layout></alto>"""
_WORD = '<String CONTENT="{}" HPOS="{}" VPOS="20" WIDTH="30" HEIGHT="10"/>'


def publish_books(
    service: "Service",
    folder: Path,
    collection: str,
    texts: Mapping[str, str],
    books: Mapping[str, str],
    own_word: str,
) -> None:
    """Publish a book for each title in `books`, which says what page it shows.

    `texts` has the words of each page; a word is 30 pixels wide. `own_word` is in no other text of
    the service.
    """
    for name in ("scans", "texts"):
        (folder / name).mkdir()
    for number, (page, text) in enumerate(texts.items()):
        height, width, _ = draw(folder / "scans" / f"{collection}-{page}.tif", number + 31).shape
        words = [_WORD.format(word, 10 + 40 * place) for place, word in enumerate(text.split())]
        alto = _ALTO.format(width=width, height=height, words="\n".join(words))
        (folder / "texts" / f"{collection}-{page}.xml").write_text(alto, encoding="utf-8")
    rows = [
        f"{collection}-{number},{title},{collection}-{page}.tif"
        for number, (title, page) in enumerate(books.items(), start=1)
    ]
    table = "\n".join(["Number,Title,Page", *rows, ""])
    (folder / "books.csv").write_text(table, encoding="utf-8")
    rules = folder / "collection.toml"
    rules.write_text(_RULES.format(collection=collection), encoding="utf-8")
    done = service.run("collection", "publish", rules)
    assert done.returncode == 0, done.stdout + done.stderr
    _wait_for_text(service, own_word)


def _wait_for_text(service: "Service", word: str) -> None:
    """Wait until the function that answers has read the list of segments again."""
    for tries in range(1, SECONDS):
        # Another query for the edge each time, and the same word.
        address = f"{service.addresses.edge_url}/inside/3/search-2?q={word}+{'!' * tries}"
        with urllib.request.urlopen(address, timeout=60) as answer:
            if json.load(answer)["items"]:
                return
        time.sleep(1)
    raise AssertionError(f"no text with {word} is found")
