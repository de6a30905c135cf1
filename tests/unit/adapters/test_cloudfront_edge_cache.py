"""The requests to CloudFront, checked against its own service model."""

from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from vitrine.adapters.aws.edge_cache import CloudFrontEdgeCache
from vitrine.errors import ServiceRefused, TransientError

Stubbed = tuple[CloudFrontEdgeCache, Stubber]


@pytest.fixture
def stubbed() -> Stubbed:
    client = boto3.Session("test", "test", region_name="us-east-1").client("cloudfront")
    return CloudFrontEdgeCache(client, "E1"), Stubber(client)


def expected_request(reference: str, *items: str) -> dict[str, Any]:
    batch = {
        "Paths": {"Quantity": len(items), "Items": list(items)},
        "CallerReference": reference,
    }
    return {"DistributionId": "E1", "InvalidationBatch": batch}


def answer(parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "Location": "https://cloudfront.amazonaws.com/",
        "Invalidation": {
            "Id": "I2J0I21PCUYOIK",
            "Status": "InProgress",
            "CreateTime": "2026-11-21T00:00:00Z",
            "InvalidationBatch": parameters["InvalidationBatch"],
        },
    }


def test_each_tag_is_one_item_in_one_order(stubbed: Stubbed) -> None:
    edge, stubber = stubbed
    parameters = expected_request("r", "#i-aa", "#i-bb")
    for tags in (["i-bb", "i-aa"], {"i-aa", "i-bb"}):
        stubber.add_response("create_invalidation", answer(parameters), parameters)
        with stubber:
            assert edge.invalidate(tags, "r") == "I2J0I21PCUYOIK"


def test_all_images_are_wildcards_and_what_is_said_of_them_others(stubbed: Stubbed) -> None:
    edge, stubber = stubbed
    manifests = ("/presentation/*", "/inside/*")
    parameters = expected_request("r", "/iiif/*", "/restricted/*", *manifests)
    stubber.add_response("create_invalidation", answer(parameters), parameters)
    with stubber:
        assert edge.invalidate_all_images("r") == "I2J0I21PCUYOIK"
    parameters = expected_request("r", *manifests)
    stubber.add_response("create_invalidation", answer(parameters), parameters)
    with stubber:
        assert edge.invalidate_all_manifests("r") == "I2J0I21PCUYOIK"


@pytest.mark.parametrize(
    ("code", "status"),
    [("Throttling", 400), ("TooManyInvalidationsInProgress", 400), ("ServiceUnavailable", 503)],
)
def test_a_lack_of_room_is_worth_another_try(stubbed: Stubbed, code: str, status: int) -> None:
    edge, stubber = stubbed
    # As often as the client itself tries what it knows to be throttling.
    for _ in range(5):
        stubber.add_client_error("create_invalidation", code, http_status_code=status)
    with stubber, pytest.raises(TransientError):
        edge.invalidate(["i-aa"], "r")


def test_a_mistake_of_ours_is_not_a_service_failure(stubbed: Stubbed) -> None:
    edge, stubber = stubbed
    stubber.add_client_error("create_invalidation", "AccessDenied", http_status_code=403)
    with stubber, pytest.raises(ServiceRefused):
        edge.invalidate(["i-aa"], "r")
