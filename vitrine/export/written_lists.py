"""The lists of an export while they are written."""

import csv
import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from vitrine.catalogue.records import ObjectRecord
from vitrine.identify.redirects.csv_file import COLUMNS
from vitrine.records import Gone, Live, Record, Redirect, Removed, record_as_json

IDENTIFIERS, IMAGES, OBJECTS = "identifiers.jsonl", "images.jsonl", "objects.jsonl"
REDIRECTS, TOMBSTONES = "redirects.csv", "tombstones.csv"
LISTS = (IDENTIFIERS, IMAGES, OBJECTS, REDIRECTS, TOMBSTONES)
"""Files of `data/`. IMAGES is a manifest for `vitrine masters migrate`, REDIRECTS one for
`vitrine redirects import`."""


class Lists:
    """Writes the lists into the folder `scratch`."""

    def __init__(self, scratch: Path) -> None:
        self._stack = ExitStack()
        self._files = {
            name: self._stack.enter_context(
                (scratch / name).open("w", encoding="utf-8", newline="\n")
            )
            for name in LISTS
        }
        self._tables = {
            name: csv.writer(self._files[name], lineterminator="\n")
            for name in (REDIRECTS, TOMBSTONES)
        }
        self._tables[REDIRECTS].writerow(COLUMNS)
        self._tables[TOMBSTONES].writerow(("identifier", "reason", "since", "by_curator", "owner"))

    def add_record(self, record: Record, rules: Mapping[str, str]) -> None:
        """Write what an identifier is, unless it answers as if there had never been one.

        `rules` are those that it has from collections, which may have no records yet.
        """
        if isinstance(record, Removed) and not record.access:
            return
        self._add_line(IDENTIFIERS, record_line(record, rules))
        match record:
            case Redirect(identifier=name, target=target, note=note, owner=owner):
                self._tables[REDIRECTS].writerow((name, target, note, owner))
            case Gone(identifier=name, reason=reason, changed_at=since, owner=owner):
                by = "yes" if record.by_curator else "no"
                self._tables[TOMBSTONES].writerow((name, reason, since, by, owner))

    def add_image(self, image: Live, metadata: Mapping[str, Any], source: str) -> None:
        """Write the row of an image whose picture is `source`, a path in `data/`."""
        row = dict(metadata) | {"source": source, "identifier": image.identifier}
        if image.owner:
            row["owned_by"] = image.owner
        self._add_line(IMAGES, row)

    def add_object(self, record: ObjectRecord) -> None:
        """Write the record of an object or collection."""
        self._add_line(OBJECTS, msgspec.to_builtins(record))

    def close(self) -> None:
        """Finish the files."""
        self._stack.close()

    def _add_line(self, name: str, document: Mapping[str, Any]) -> None:
        self._files[name].write(json.dumps(document, ensure_ascii=False) + "\n")


def record_line(record: Record, rules: Mapping[str, str]) -> dict[str, Any]:
    """Return the line of an identifier, with the rules that it has from collections."""
    return record_as_json(record) | ({"rules": dict(rules)} if rules else {})
