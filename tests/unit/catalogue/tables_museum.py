"""A museum that publishes tables, some of which take a while."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.unit.catalogue.rules_museum import Museum, uploaded
from vitrine.catalogue.announced_uses import AnnouncedUses
from vitrine.catalogue.records import Renamed, follow_renames, rule_of
from vitrine.identify.current_names import follow_redirects
from vitrine.ingest.publish.table_rules import TableRules, set_rules
from vitrine.sources.mapping.mapping_file import MappingFile
from vitrine.sources.updates.publish_objects import restrict_collection


class Table(NamedTuple):
    """A table of one object whose images were sent."""

    collection: str
    object: str
    shown: list[str]
    rule: str
    """Rule that the table gives to its collection."""


class TablesMuseum(Museum):
    """What was said of collections and images, also by tables."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Table] = []

    def publish_table(
        self, name: str, object_: str, shown: list[str], row: str, default: str
    ) -> None:
        """Publish a table of one object, as `vitrine collection publish` does."""
        if self._set_rules(name, object_, shown, row, default):
            # Not what an earlier table closed, of which another one said less since.
            is_closed = default == "closed" and row != "open"
            closed = {image for image in shown if is_closed and self.access(image) == "closed"}
            self.put_object(object_, shown)
            assert {self.access(image) for image in closed} <= {"closed"}
            self._publish(Table(name, object_, shown, default))

    def begin_table(
        self, name: str, object_: str, shown: list[str], row: str, default: str
    ) -> None:
        """Begin to: its images are sent, with the rules that were read before."""
        if self._set_rules(name, object_, shown, row, default):
            for image in shown:
                self.services.register.change(image, partial(uploaded, image))
            self.tables.append(Table(name, object_, shown, default))

    def finish_table(self) -> None:
        if self.tables:
            self._publish(self.tables.pop(0))

    def _set_rules(self, name: str, object_: str, shown: list[str], row: str, default: str) -> bool:
        """Set the rules of a table's images; return False if its collection was renamed."""
        if isinstance(self.bench.publisher.journal.latest(name), Renamed):
            return False
        self._restrict_collection(name, default)
        journal = self.bench.publisher.journal
        present = rule_of(follow_renames(journal, name)[1])
        # A table opens no collection that is closed.
        default = "" if present == "closed" != default else default
        rule = default or present
        table, uses = (
            TableRules(default=rule, decides=bool(default)),
            AnnouncedUses(self.bench.publisher),
        )
        uses.add(object_, shown, {name})
        uses.finish()
        for image in shown:
            table.add(image, row)

        def is_same() -> bool:
            return rule_of(follow_renames(journal, name)[1]) == present

        kept = set_rules(self.curation, table, self.bench.publisher.rules, is_same).kept_closed
        ends = follow_redirects(self.bench.identifiers, shown).values()
        for image in {identifier for identifier, _ in ends}:
            if row and image not in kept:
                self.own[image] = row
            elif default and not row and self.own.get(image) != "closed":
                self.own.pop(image, None)
        return True

    def _restrict_collection(self, name: str, rule: str) -> None:
        here = Path()
        mapping = MappingFile(
            folder=here, identifier=name, label={"en": name}, table=here, masters=here, access=rule
        )
        restrict_collection(self.bench.objects, mapping, (name,))
        if known := rule_of(self.bench.publisher.journal.latest(name)):
            self.said[name] = known

    def _publish(self, table: Table) -> None:
        self.put_object(table.object, table.shown)
        self.put_collection(
            table.collection,
            [table.object],
            table.rule,
            ["", table.shown[0]],
            keeps_closed=True,
        )
