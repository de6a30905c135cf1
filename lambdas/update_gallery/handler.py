"""The gallery: ImagePublished and ImageWithdrawn become the list behind the page."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import parse_records, read_identifier
from vitrine.bootstrap.gallery import gallery_services
from vitrine.site.gallery import update_gallery


@lambda_step("update_gallery")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Write the list once for a batch; the response names events that cannot be read."""
    identifiers, failed = parse_records(event, read_identifier)
    if identifiers:
        update_gallery(gallery_services(), identifiers)
    return failed
