"""A collection of books with one page, whose text a file of ALTO says, published by its command."""

import json
import time
import urllib.request
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.integration.local.machines import draw
from tests.patience import SECONDS, until

if TYPE_CHECKING:
    from conftest import Service

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
    *own_words: str,
) -> None:
    """Publish a book for each title in `books`, which says what page it shows.

    `texts` has the words of each page; a word is 30 pixels wide. Each text has one of
    `own_words`, and no other text of the service has any.
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
    for word in own_words:
        number = sum(word in texts[page].split() for page in books.values())
        until(partial(_finds, service, word, number), pause=1)


def _finds(service: "Service", word: str, number: int) -> bool:
    """Whether the function that answers has read the list of segments with all of these books."""
    # Another query for the edge each time, and the same word.
    other = f"{time.time_ns():b}".replace("0", "!").replace("1", "?")
    address = f"{service.addresses.edge_url}/inside/3/search-2?q={word}+{quote(other)}"
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:
        return bool(json.load(answer)["partOf"][0]["found"]["objects"] == number)
