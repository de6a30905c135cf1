"""The gallery: ImagePublished events from the queue become the list behind the page."""

import json
from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import parsed_records
from vitrine.bootstrap import gallery_services
from vitrine.present.gallery import gallery_entry, update_gallery


@lambda_step("update_gallery")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One write per batch. Partial batch response for events that cannot be read."""
    entries, failed = parsed_records(event, lambda body: gallery_entry(json.loads(body)["detail"]))
    if entries:
        update_gallery(gallery_services(), entries)
    return failed
