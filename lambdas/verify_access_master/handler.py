"""VerifyAccessMaster: check the stored access master. MasterConverted -> MasterConverted."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.ingest.messages import MasterConverted
from vitrine.ingest.steps.verify_access_master import verify_access_master


@lambda_step("verify_access_master")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Check the access master; raises MasterRejected, TransientError."""
    return verify_access_master(ingest_services(), MasterConverted.from_json(event)).as_json()
