"""Publishes tables of objects in one process, and prints as JSON what each step took.

Run as a file: `vitrine` is that of the checkout in PYTHONPATH, the settings are those of the
publisher's Lambda, and the arguments are a folder to work in and the number of objects.
"""

import csv
import json
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from botocore.httpsession import URLLib3Session

from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.publisher import wire_publisher
from vitrine.catalogue.objects import Objects
from vitrine.catalogue.publisher import Publisher
from vitrine.cli.collection.index import update_index
from vitrine.cli.collection.table_images import write_images
from vitrine.settings.present import PublishSettings
from vitrine.sources.mapping.mapping_reader import read_mapping
from vitrine.sources.mapping.to_objects import MappedObject
from vitrine.sources.updates.open_mapper import open_mapper
from vitrine.sources.updates.owned_names import OwnedNames
from vitrine.sources.updates.publish_objects import publish_objects

WARM_UP = 2
"""Objects that are published first, for what a process does only once."""
_RULES = """\
[collection]
identifier = "{name}"
label = "A collection"

[source]
table = "{name}.csv"

[object]
identifier = "{{Identifier}}"
label = "{{Title}}"
summary = "{{Description}}"
image = {{value = "{{Images}}", split = ";"}}
nav_date = "{{Year}}"

[metadata]
"Maker" = {{value = "{{Maker}}", split = ";", facet = true}}
"Year" = {{value = "{{Year}}", facet = true}}
"Technique" = "{{Technique}}"
"""
_MAKERS = ("Rembrandt", "Judith Leyster", "Jan Steen; Gerard ter Borch", "Maria van Oosterwijck")


def _write_table(folder: Path, name: str, first: int, count: int, title: str) -> Path:
    """Write a table of objects, counted from `first`, of two images each; return its rules."""
    with (folder / f"{name}.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(
            ["Identifier", "Title", "Description", "Images", "Maker", "Year", "Technique"]
        )
        for number in range(first, first + count):
            images = f"image-{2 * number}; image-{2 * number + 1}"
            words = f"{title} {number} shows a landscape with a river, three trees and a mill."
            maker, year = _MAKERS[number % len(_MAKERS)], 1600 + number % 90
            row = [f"object-{number}", f"{title} {number}", words, images, maker, year, "Oil"]
            lines.writerow(row)
    rules = folder / f"{name}.toml"
    rules.write_text(_RULES.format(name=name))
    return rules


class _Steps:
    """CPU milliseconds and requests of each step, an object."""

    def __init__(self, objects: int) -> None:
        self._objects = objects
        self.requests = 0
        self.values: dict[str, float] = {}
        self._before = 0.0, 0

    def begin(self) -> None:
        """Begin a step."""
        self._before = time.process_time(), self.requests

    def end(self, step: str) -> None:
        """Add what happened since the last step began or ended to the figures of this one."""
        seconds, requests = self._before
        for label, spent in (
            (f"{step}: CPU ms", 1000 * (time.process_time() - seconds)),
            (f"{step}: requests", self.requests - requests),
        ):
            self.values[label] = round(self.values.get(label, 0.0) + spent / self._objects, 3)
        self.begin()


def _publish(publisher: Publisher, rules: Path, steps: _Steps, names: tuple[str, str, str]) -> None:
    """Do what `vitrine collection publish` does but for the images. Raises SystemExit."""
    mapping, service = read_mapping(rules), _service_of(publisher)
    chosen = OwnedNames(
        identifiers=publisher.identifiers, collection=mapping.identifier, has_masters=False
    )
    announced, published, searched = names
    steps.begin()
    write_images(rules, mapping, open_mapper(mapping), [], chosen, publisher)
    steps.end(announced)
    mapped = (one for one in open_mapper(mapping).objects() if isinstance(one, MappedObject))
    report = publish_objects(Objects(publisher), mapping, mapped)
    steps.end(published)
    update_index(service, quiet=True)
    steps.end(searched)
    if report.refused or report.waiting:
        sys.exit(f"not published: {report.refused or report.waiting}")


def _service_of(publisher: Publisher) -> Any:
    """Return what stands for the deployed environment where only its site is updated."""
    return SimpleNamespace(site=publisher.site, edge_url=publisher.presentation.base)


def main() -> None:
    """Publish a table, then with other titles, then again without a change."""
    folder, count = Path(sys.argv[1]), int(sys.argv[2])
    settings = PublishSettings.from_environment(os.environ)
    publisher = wire_publisher(settings, environment_access(), on_this_machine=False)
    steps = _Steps(count)
    send = URLLib3Session.send

    def count_request(session: Any, request: Any) -> Any:
        steps.requests += 1
        return send(session, request)

    with patch.object(URLLib3Session, "send", count_request):
        rules = _write_table(folder, "warm-up", count, WARM_UP, "Warm-up")
        _publish(publisher, rules, _Steps(1), ("", "", ""))
        rules = _write_table(folder, "table", 0, count, "Landscape")
        _publish(publisher, rules, steps, ("announced", "published", "searched"))
        rules = _write_table(folder, "table", 0, count, "Valley")
        _publish(publisher, rules, steps, 3 * ("another title",))
        _publish(publisher, rules, steps, 3 * ("no change",))
    print(json.dumps(steps.values))


if __name__ == "__main__":
    main()
