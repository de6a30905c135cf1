"""ReadHeader: validate a master from its header. IngestMaster -> HeaderRead."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.steps.read_header import read_master_header


@lambda_step("read_header")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Validate the master; raises MasterRejected, TransientError."""
    return read_master_header(ingest_services(), IngestMaster.from_json(event)).as_json()
