"""MigrateMaster: one item of a migration. Asked again by its state's Retry until it has ended.

`item` of the migration's items and its times -> what came of it.
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
    """Raises IngestUnfinished, NotMigrated, TransientError."""
    request = MigrateMaster.from_json(event)
    told = {"key": request.key, **asdict(migrate_master(ingest_services(), request))}
    if told["state"] in UNSUCCESSFUL:
        raise NotMigrated(json.dumps(told, ensure_ascii=False))
    return told
