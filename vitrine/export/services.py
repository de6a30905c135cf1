"""What an export reads from, and what it is asked to write."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from vitrine.catalogue.compose import Presentation
from vitrine.catalogue.statements import Catalogue
from vitrine.identify.shown_identifiers import ShownIdentifiers
from vitrine.ports import IdentifierTable, ObjectStore, VersionedStore
from vitrine.store.collection_rules import HeldRules

Pictures = Literal["masters", "access-masters", "none"]


@dataclass(frozen=True, kw_only=True)
class ExportServices:
    """The buckets and the table of an environment; nothing is written to them."""

    masters: ObjectStore
    access_masters: ObjectStore
    records: VersionedStore
    site: ObjectStore
    identifiers: IdentifierTable
    catalogue: Catalogue
    presentation: Presentation
    render: Callable[[str], bytes]
    """Returns what the service answers to a path; raises TransientError."""

    @cached_property
    def rules(self) -> HeldRules:
        """The table of collections' rules."""
        return HeldRules(self.records)

    @cached_property
    def shown(self) -> ShownIdentifiers:
        """The identifiers as their images are shown."""
        return ShownIdentifiers(self.identifiers, self.rules)


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """What is written besides records, redirects and manifests."""

    pictures: Pictures = "masters"
    static_base: str = ""
    """Address of the folder `data/site` on the web, without a slash at its end; empty: no tree."""
