"""PublishImage: flip the identifier to the new version. MasterConverted -> ImagePublished."""

from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.bootstrap.ingest import ingest_services
from vitrine.events import ImagePublished
from vitrine.ingest.messages import MasterConverted
from vitrine.ingest.steps.publish_image import publish_image


@lambda_step("publish_image")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Publish the image; raises SupersededMaster, MasterRejected, TransientError."""
    image = publish_image(ingest_services(), MasterConverted.from_json(event))
    return ImagePublished.of(image).detail()
