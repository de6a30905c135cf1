"""An environment with one collection of others on its schedule."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.unit.catalogue.object_bench import IMAGES, ObjectBench
from tests.unit.sources.iiif.books import book_rules
from tests.unit.sources.iiif.iiif_server import (
    IiifServer,
)
from vitrine.slices import WHOLE, Slice
from vitrine.sources.harvest.guarded_http import GuardedHttp
from vitrine.sources.updates.schedule import Schedule, UpdateRun
from vitrine.sources.updates.scheduled import (
    change_schedule,
    read_newest_runs,
    read_scheduled,
)
from vitrine.sources.updates.scheduled_update import UpdateServices, update_due
from vitrine.store.layout import harvest_key


def rules_of(source: IiifServer) -> str:
    """Return the rules; where they keep what they fetch is no place of the Lambda's."""
    return book_rules(source.address, table="/somewhere/else", images="reference")


class Rig:
    """An environment with one collection on its schedule."""

    def __init__(self, rules: str) -> None:
        self.later = timedelta()
        self.bench = ObjectBench(*IMAGES)
        self.services = UpdateServices(
            publisher=self.bench.publisher,
            open_http=lambda private_too: GuardedHttp(private_too=private_too),
        )
        self.schedule(rules)

    def schedule(self, rules: str, *, private_too: bool = True) -> None:
        schedule = Schedule(rules="books", hours=24, private_too=private_too)
        change_schedule(self.bench.records, "books", schedule, rules)

    def tick(self, time: Slice = WHOLE) -> UpdateRun:
        """Let the clock start the Lambda; return the newest update."""
        moment, self.later = datetime.now(UTC) + self.later, timedelta()
        update_due(self.services, moment, time)
        return self.run()

    def run(self) -> UpdateRun:
        schedules = read_scheduled(self.bench.records)
        return read_newest_runs(self.bench.records, schedules)["books"]

    def next_day(self) -> None:
        """Let the next tick be tomorrow."""
        self.later = timedelta(hours=25)

    def log(self) -> list[dict[str, Any]]:
        body, _ = self.bench.records.get(harvest_key("books", "harvest.log"))
        return [json.loads(line) for line in body.splitlines()]

    def members(self) -> list[str]:
        return [item["id"].split("/")[-2] for item in self.bench.document("books")["items"]]

    def reports(self) -> list[dict[str, Any]]:
        return [detail for name, detail in self.bench.events.events if name == "CollectionUpdated"]
