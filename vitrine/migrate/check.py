"""A dry run: what would come of the rows, as far as that can be known without doing it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from vitrine.errors import ObjectMissing
from vitrine.ingest.rejections import identifier_taken
from vitrine.migrate.migrate_master import ended
from vitrine.migrate.plan import Plan
from vitrine.migrate.planned import Planned, Result
from vitrine.migrate.row import source_missing
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.times import MigrationTimes
from vitrine.records import Live

LOOKERS = 16
BATCH = 1_000


def check(
    services: MigrationServices, plan: Plan, on_row: Callable[[], None] = lambda: None
) -> None:
    """Note in `plan` what is missing, refused or published already; the rest goes on waiting.

    Raises TransientError.
    """
    times = MigrationTimes.of(plan)
    rows = plan.all_waiting()

    def one(row: Planned) -> Result | None:
        on_row()
        if row.kind == "master":
            return ended(services.ingest, times.request(row))
        return _missing(services, row) if row.kind == "foreign" else None

    with ThreadPoolExecutor(LOOKERS) as pool:
        while batch := list(islice(rows, BATCH)):
            found = zip(batch, pool.map(one, batch), _taken(services, batch), strict=True)
            plan.end_many(
                [(row.line, end) for row, result, taken in found if (end := result or taken)]
            )


def _missing(services: MigrationServices, row: Planned) -> Result | None:
    try:
        services.foreign.head(row.place)
    except ObjectMissing:
        return Result(state="missing", problem=source_missing(row.source))
    return None


def _taken(services: MigrationServices, rows: list[Planned]) -> list[Result | None]:
    records = services.ingest.identifiers.get_many([row.identifier for row in rows])

    def one(row: Planned) -> Result | None:
        record = records.get(row.identifier)
        if not isinstance(record, Live) or record.master_key == row.key:
            return None
        if row.kind == "master" and not row.given:  # its own metadata may name another
            return None
        taken = identifier_taken(row.identifier, record.master_key)
        return Result(state="rejected", problem=taken.rejection)

    return [one(row) for row in rows]
