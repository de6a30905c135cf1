"""MigrateMaster: one item of a migration and its times -> the outcome of the item.

Retry of the state calls it again until the item's ingest has ended.
"""

import json
from dataclasses import asdict
from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.errors import NotMigrated
from vitrine.migrate.messages import MigrateMaster
from vitrine.migrate.migrate_master import migrate_master
from vitrine.migrate.planned_row import UNSUCCESSFUL


@lambda_step("migrate_master")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Migrate the item; raises IngestUnfinished, NotMigrated, TransientError."""
    request = MigrateMaster.from_json(event)
    outcome = {"key": request.key, **asdict(migrate_master(ingest_services(), request))}
    if outcome["state"] in UNSUCCESSFUL:
        raise NotMigrated(json.dumps(outcome, ensure_ascii=False))
    return outcome
