"""The table of identifiers as its images are shown: under the rules that hold."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vitrine.errors import RecordDamaged
from vitrine.identify.effective_rule import as_shown
from vitrine.ports import IdentifierTable
from vitrine.records import Live, Record, Redirect

if TYPE_CHECKING:
    from vitrine.access.collection_rules import CollectionRules


@dataclass(frozen=True)
class ShownIdentifiers:
    """Reads records of `table`, each under its effective rule (`effective_rule.as_shown`).

    Nothing is to be written from such a record. All methods raise TransientError.
    """

    table: IdentifierTable
    rules: "Callable[[], CollectionRules | None]"

    def get(self, identifier: str) -> Record | None:
        """See IdentifierTable."""
        record = self.table.get(identifier)
        return as_shown(record, self.rules()) if record else None

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record | RecordDamaged]:
        """See IdentifierTable."""
        found = self.table.get_many(identifiers, consistent=consistent)
        rules = self.rules() if found else None
        return {
            name: one if isinstance(one, RecordDamaged) else as_shown(one, rules)
            for name, one in found.items()
        }

    def newest(self, limit: int) -> list[Live]:
        """See IdentifierTable."""
        found = self.table.newest(limit)
        rules = self.rules() if found else None
        return [as_shown(one, rules) for one in found]

    def by_state(self, state: str, limit: int) -> list[Record]:
        """See IdentifierTable."""
        found = self.table.by_state(state, limit)
        rules = self.rules() if found else None
        return [as_shown(one, rules) for one in found]

    def redirects_to(self, target: str) -> Iterator[Redirect]:
        """See IdentifierTable: what leads somewhere has no rule that counts."""
        return self.table.redirects_to(target)


@dataclass(frozen=True)
class ImageReading(ShownIdentifiers):
    """The same, of which `get_many` reads each record once: what one publication is made of."""

    read: dict[str, Record | RecordDamaged | None] = field(default_factory=dict)
    """Records as they are shown, None for what has none."""

    def get_many(
        self, identifiers: Collection[str], *, consistent: bool = False
    ) -> dict[str, Record | RecordDamaged]:
        """See IdentifierTable; always consistent."""
        if unread := {*identifiers} - self.read.keys():
            found = super().get_many(unread, consistent=True)
            self.read.update({name: found.get(name) for name in unread})
        return {name: one for name in identifiers if (one := self.read[name])}
