"""WithdrawImage: the image of a deleted master becomes a tombstone. After the grace period."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.ingest.messages import WithdrawImage
from vitrine.ingest.steps.withdraw_image import withdraw_image


@lambda_step("withdraw_image")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Withdraw the image; raises SupersededMaster if the master was restored, TransientError."""
    request = WithdrawImage.from_json(event)
    withdraw_image(ingest_services(), request)
    return request.as_json()
