"""The files of a dump while they are written: JSON Lines, CSV and sitemaps, all compressed."""

import csv
import gzip
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from xml.sax.saxutils import escape

from vitrine.site.dumps.rows import COLUMNS, Row, csv_cells
from vitrine.store.site_layout import collection_page_key, object_page_key, page_path

DATA = "data/"
OBJECTS_JSONL, OBJECTS_CSV = f"{DATA}objects.jsonl.gz", f"{DATA}objects.csv.gz"
SITEMAP, SITEMAPS = "sitemap.xml", "sitemaps/"
"""Keys in the bucket of the site, which are the paths of their addresses."""
URLS = 20_000
"""URLs of one sitemap. The protocol allows 50,000 and 50 MB, and an address may take 800 bytes."""
LEVEL = 6
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@dataclass
class _Sitemap:
    path: Path
    urls: int = 0
    newest: str = ""


class DumpFiles:
    """Writes rows into `folder`. The same rows have the same bytes."""

    def __init__(self, folder: Path, base: str) -> None:
        self._folder = folder
        self._base = base
        self._stack = ExitStack()
        self._lines = self._open(folder / "objects.jsonl.gz")
        self._csv = csv.writer(self._open(folder / "objects.csv.gz"))
        self._csv.writerow(COLUMNS)
        self._sitemaps: list[_Sitemap] = []
        self._urls: io.TextIOWrapper | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, row: Row) -> None:
        """Add a row, and the address of its page to a sitemap."""
        self._lines.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._csv.writerow(csv_cells(row))
        if row["state"] == "published":
            self._add_url(self._base + _page_of(row), row["updated"])

    def _add_url(self, address: str, updated: str) -> None:
        if self._urls is None or self._sitemaps[-1].urls == URLS:
            self._end_sitemap()
            path = self._folder / f"sitemap-{len(self._sitemaps) + 1}.xml.gz"
            self._sitemaps.append(_Sitemap(path))
            self._urls = self._open(path)
            self._urls.write(
                f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_NAMESPACE}">'
            )
        sitemap = self._sitemaps[-1]
        self._urls.write(f"\n<url><loc>{escape(address)}</loc><lastmod>{updated}</lastmod></url>")
        sitemap.urls += 1
        sitemap.newest = max(sitemap.newest, updated)

    def _end_sitemap(self) -> None:
        if self._urls is not None:
            self._urls.write("\n</urlset>\n")
            self._urls.close()

    def finish(self) -> Iterator[tuple[str, Path, str]]:
        """End the files; yield key, path and media type of each, in the order to publish them.

        What another one leads to goes before it.
        """
        self._end_sitemap()
        self._stack.close()
        index = self._folder / "sitemap.xml"
        parts = "".join(
            f"\n<sitemap><loc>{self._base}/{SITEMAPS}{sitemap.path.name}</loc>"
            f"<lastmod>{sitemap.newest}</lastmod></sitemap>"
            for sitemap in self._sitemaps
        )
        index.write_text(
            f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{_NAMESPACE}">'
            f"{parts}\n</sitemapindex>\n",
            encoding="utf-8",
        )
        for sitemap in self._sitemaps:
            yield SITEMAPS + sitemap.path.name, sitemap.path, "application/gzip"
        yield SITEMAP, index, "application/xml"
        yield OBJECTS_CSV, self._folder / "objects.csv.gz", "application/gzip"
        yield OBJECTS_JSONL, self._folder / "objects.jsonl.gz", "application/gzip"

    def _open(self, path: Path) -> io.TextIOWrapper:
        packed = gzip.GzipFile("", "wb", LEVEL, self._stack.enter_context(path.open("wb")), mtime=0)
        return self._stack.enter_context(io.TextIOWrapper(packed, encoding="utf-8", newline="\n"))


def _page_of(row: Row) -> str:
    is_collection = row["type"] == "Collection"
    key = (collection_page_key if is_collection else object_page_key)(row["identifier"])
    return page_path(key)


def read_dump(path: Path) -> Iterator[Row]:
    """Yield the rows of a dump in JSON Lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
