"""The publisher: when an image changes, what is published of the objects that show it does."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import parse_records, read_identifier
from vitrine.bootstrap.publisher import publisher
from vitrine.present.objects.changed_images import publish_changed_images


@lambda_step("publish_objects")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Publish the objects of a batch of images once; an error has all of it retried."""
    images, failed = parse_records(event, read_identifier)
    if images:
        publish_changed_images(publisher(), images)
    return failed
