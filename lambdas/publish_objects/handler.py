"""The publisher: when an image changes, what is published of the objects that show it does."""

import json
from typing import Any

from vitrine.adapters.aws.lambda_step import lambda_step
from vitrine.adapters.aws.sqs_batch import parse_records
from vitrine.bootstrap.publisher import publisher
from vitrine.catalogue.outdated_pages import (
    outdated_by_rules,
    publish_changed_images,
    publish_lists,
    try_updating_outdated,
)
from vitrine.events import ImageChanged, ObjectChanged, PagesOutdated, RulesChanged, TextsRead
from vitrine.slices import Slice

MIN_MILLISECONDS = 120_000
"""Enough for the pages that one look at the clock allows, and to announce what is left."""


@lambda_step("publish_objects")
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Publish the objects of a batch of images once, then bring lists and pages up to date.

    An error has all of it retried.
    """
    parsed, failed = parse_records(event, _read_change)
    # Queues deliver some twice, and who puts a collection announces what its publisher does.
    changes = list(dict.fromkeys(parsed))
    if images := [change for change in changes if isinstance(change, ImageChanged)]:
        publish_changed_images(publisher(), {image.identifier for image in images})
    for identifier in {one.identifier for one in changes if isinstance(one, TextsRead)}:
        publisher().try_publishing(identifier)
    publish_lists(
        publisher(), {one.identifier for one in changes if isinstance(one, ObjectChanged)}
    )
    ruled = {change.identifier for change in changes if isinstance(change, RulesChanged)}
    outdated = [change for change in changes if isinstance(change, PagesOutdated)]
    time = Slice(context.get_remaining_time_in_millis, MIN_MILLISECONDS)
    for pages in (*outdated, *map(outdated_by_rules, sorted(ruled))):
        try_updating_outdated(publisher(), pages, time)
    return failed


def _read_change(
    body: str,
) -> ImageChanged | ObjectChanged | PagesOutdated | RulesChanged | TextsRead:
    """Return the image or object that changed, or what is outdated.

    Raises AttributeError, KeyError, TypeError or ValueError.
    """
    message = json.loads(body)
    for kind in (ObjectChanged, TextsRead, PagesOutdated, RulesChanged):
        if message.get("detail-type") == kind.name():
            return kind.from_detail(message["detail"])
    return ImageChanged.from_detail(message["detail"])
