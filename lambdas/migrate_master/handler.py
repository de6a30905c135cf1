"""MigrateMaster: a batch of a migration's items and its times -> how many ended in which state.

Retry of the state calls it again while ingests that take long have not ended.
"""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.migrate.messages import MigrateBatch
from vitrine.migrate.migrate_batch import migrate_batch


@lambda_step("migrate_master")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Migrate the batch; raises IngestUnfinished, NotMigrated, TransientError, ServiceRefused."""
    states = migrate_batch(ingest_services(), MigrateBatch.from_json(event))
    return {str(state): number for state, number in states.items()}
