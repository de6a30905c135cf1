"""A dry run: the results of the rows, as far as they can be known without migrating them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from vitrine.errors import MasterRejected, ObjectMissing
from vitrine.identify.owners import owner_of_master
from vitrine.ingest.publish.identifier_claim import check_owner
from vitrine.migrate.manifest_row import source_missing
from vitrine.migrate.migrate_master import find_result
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.planned_row import PlannedRow, RowResult
from vitrine.migrate.services import MigrationServices
from vitrine.migrate.times import MigrationTimes
from vitrine.records import readable
from vitrine.slices import split_batches

THREADS = 16
BATCH = 1_000


def check_rows(
    services: MigrationServices, plan: MigrationPlan, on_row: Callable[[], None] = lambda: None
) -> None:
    """Record in `plan` which rows are missing, rejected or published already; the rest wait.

    Raises TransientError.
    """
    times = MigrationTimes.of(plan)
    rows = plan.all_waiting()

    def check_row(row: PlannedRow) -> RowResult | None:
        on_row()
        if row.kind == "master":
            return find_result(services.ingest, times.request(row))
        return _check_source(services, row) if row.kind == "foreign" else None

    with ThreadPoolExecutor(THREADS) as pool:
        for batch in split_batches(rows, BATCH):
            checked = pool.map(check_row, batch)
            found = zip(batch, checked, _check_identifiers(services, batch), strict=True)
            plan.record_results(
                [(row.line, end) for row, result, taken in found if (end := result or taken)]
            )


def _check_source(services: MigrationServices, row: PlannedRow) -> RowResult | None:
    try:
        services.foreign.head(row.place)
    except ObjectMissing:
        return RowResult(state="missing", problem=source_missing(row.source))
    return None


def _check_identifiers(
    services: MigrationServices, rows: list[PlannedRow]
) -> list[RowResult | None]:
    records = readable(services.ingest.identifiers.get_many([row.identifier for row in rows]))

    def check_identifier(row: PlannedRow) -> RowResult | None:
        record = records.get(row.identifier)
        if row.kind == "master" and not row.given:  # its own metadata may name another
            return None
        owner = row.owner or owner_of_master(services.ingest.records, row.key)
        try:
            check_owner(row.identifier, row.key, owner, record)
        except MasterRejected as error:
            return RowResult(state="rejected", problem=error.rejection)
        return None

    return [check_identifier(row) for row in rows]
