"""ConvertMaster: put an access master into the store. HeaderRead -> MasterConverted."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.ingest.messages import HeaderRead
from vitrine.ingest.steps.convert_master import convert_master


@lambda_step("convert_master")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Convert the master; raises MasterRejected, TransientError."""
    return convert_master(ingest_services(), HeaderRead.from_json(event)).as_json()
