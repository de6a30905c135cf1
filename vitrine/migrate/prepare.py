"""Opens the plan of a migration: a new one, or the one that a stopped command left."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from vitrine.migrate.fill import OnRow, rows_of_folder, rows_of_manifest, rows_of_prefix
from vitrine.migrate.plan import RUN, Plan
from vitrine.migrate.planned import Planned
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.times import start_clock

FILLED, CONTENT, ENDED = "filled", "content", "ended_at"


@dataclass(frozen=True, kw_only=True)
class Collection:
    """What is to be migrated: a manifest or a folder, or a prefix of the masters bucket."""

    place: Path | None = None
    prefix: str = ""

    @property
    def name(self) -> str:
        """The place as people know it."""
        return str(self.place.absolute()) if self.place else f"prefix {self.prefix}"

    def plan_name(self, environment: str) -> str:
        """Name of its plan: the same command finds it again."""
        return hashlib.sha256(f"{environment}\0{self.name}".encode()).hexdigest()[:16]

    def content(self) -> str:
        """SHA-256 of a manifest, "" for what is listed. Raises OSError."""
        if self.place is None or self.place.is_dir():
            return ""
        with self.place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def rows(self, services: MigrationServices, on_row: OnRow) -> Iterator[Planned]:
        """Raises MigrationUnusable, OSError, TransientError."""
        if self.place is None:
            return rows_of_prefix(self.prefix, services, on_row)
        if self.place.is_dir():
            return rows_of_folder(self.place.absolute(), services, on_row)
        return rows_of_manifest(self.place, services, on_row)


def prepare(
    plan: Plan,
    collection: Collection,
    environment: str,
    services: MigrationServices,
    on_row: OnRow = lambda: None,
) -> bool:
    """Fill the plan, unless it is that of a run which was stopped: then True.

    A plan that has come to its end, or was made from another manifest, is made anew. What was not
    successful before waits again. Raises MigrationUnusable, OSError, TransientError.
    """
    content = collection.content()
    resumed = bool(plan.fact(FILLED)) and not plan.fact(ENDED) and plan.fact(CONTENT) == content
    if resumed:
        plan.try_again()
    else:
        plan.clear()
        plan.state_fact(RUN, uuid4().hex)
        plan.state_fact(CONTENT, content)
        plan.state_fact("source", collection.name)
        plan.state_fact("environment", environment)
        plan.fill(collection.rows(services, on_row))
        plan.state_fact(FILLED, "yes")
    start_clock(plan)
    return resumed
