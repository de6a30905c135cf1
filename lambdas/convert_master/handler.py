"""ConvertMaster: put an access master into the store. IngestMaster -> MasterConverted."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.ingest.messages import IngestMaster
from vitrine.ingest.steps.check_master import check_master
from vitrine.ingest.steps.convert_master import convert_master


@lambda_step("convert_master")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Convert the master; raises MasterRejected, ConverterTooSmall, TransientError."""
    services, request = ingest_services(), IngestMaster.from_json(event)
    check_master(services, request)
    return convert_master(services, request).as_json()
