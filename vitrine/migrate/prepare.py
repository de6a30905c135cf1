"""Preparing the plan of a migration: a new one, or the one that a stopped command left."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from vitrine.errors import MigrationUnusable
from vitrine.migrate.collection_rows import (
    OnRow,
    OnSkip,
    plan_folder_rows,
    plan_manifest_rows,
    plan_prefix_rows,
)
from vitrine.migrate.plan import RUN, MigrationPlan
from vitrine.migrate.planned_row import PlannedRow
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.times import start_clock

FILLED, CONTENT, ENDED = "filled", "content", "ended_at"


@dataclass(frozen=True, kw_only=True)
class Collection:
    """The masters to be migrated: a manifest or a folder, or a prefix of the masters bucket."""

    place: Path | None = None
    prefix: str = ""
    owner: str = ""
    """Identifier of the collection that the masters belong to; empty: their rows say it, or they
    belong to none."""
    root: Path | None = None
    """Folder that has all files of a manifest, if that is not the manifest's own."""

    @property
    def name(self) -> str:
        """The path or prefix, as shown to people."""
        return str(self.place.resolve()) if self.place else f"prefix {self.prefix}"

    @property
    def nothing(self) -> str:
        """What is missing when it has no row, as part of a sentence."""
        if self.place is None:
            return f"no key of the masters bucket begins with {self.prefix!r}"
        return f"{self.place} has no {'master' if self.place.is_dir() else 'row'}"

    def plan_name(self, environment: str) -> str:
        """Return the name of its plan, by which the same command finds it again."""
        parts = [environment, self.name, *([self.owner] if self.owner else [])]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def content(self) -> str:
        """Return the SHA-256 of a manifest, "" for a folder or prefix. Raises OSError."""
        if self.place is None or self.place.is_dir():
            return ""
        with self.place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def rows(
        self, services: MigrationServices, on_row: OnRow, on_skip: OnSkip
    ) -> Iterator[PlannedRow]:
        """Return the collection's rows. Raises MigrationUnusable, OSError, TransientError."""
        if self.place is None:
            return plan_prefix_rows(self.prefix, services, on_row)
        if self.place.is_dir():
            return plan_folder_rows(
                self.place.resolve(), services, on_row, on_skip, owner=self.owner
            )
        return plan_manifest_rows(self.place, services, on_row, owner=self.owner, root=self.root)


def prepare_plan(
    plan: MigrationPlan,
    collection: Collection,
    environment: str,
    services: MigrationServices,
    on_row: OnRow = lambda: None,
    on_skip: OnSkip = lambda name: None,
) -> bool:
    """Fill the plan, or return True if it is the plan of a stopped run, which is resumed.

    A plan that is complete, or was made from another manifest, is filled again. Unsuccessful rows
    of a resumed plan wait again. Raises MigrationUnusable, OSError, TransientError.
    """
    content = collection.content()
    resumed = bool(plan.fact(FILLED)) and not plan.fact(ENDED) and plan.fact(CONTENT) == content
    if resumed:
        plan.reset_unsuccessful()
    else:
        plan.clear()
        plan.set_fact(RUN, uuid4().hex)
        plan.set_fact(CONTENT, content)
        plan.set_fact("source", collection.name)
        plan.set_fact("environment", environment)
        plan.fill(collection.rows(services, on_row, on_skip))
        if not sum(plan.counts().values()):
            raise MigrationUnusable(f"There is nothing to migrate: {collection.nothing}.")
        plan.set_fact(FILLED, "yes")
    start_clock(plan)
    return resumed
