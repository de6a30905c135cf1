"""The desk: only people of the API's issuer change anything by it, and only from its own pages."""

from dataclasses import replace

import pytest

from stacks.designs import DEV
from stacks.environment_values import Api, Desk
from tests.infrastructure.own_values import OPERATED

TOKENS = Api(access="jwt", issuer="https://login.example.org/realms/museum", audience=("vitrine",))
WITH_DESK = {**OPERATED, "api": TOKENS, "desk": Desk(client="vitrine-desk")}


@pytest.fixture(scope="module")
def desk(synthesize):
    """An environment with a desk."""
    return synthesize(replace(DEV, **WITH_DESK))


@pytest.mark.slow
def test_browsers_send_masters_from_pages_of_the_desk_alone(desk):
    masters = desk.one("AWS::S3::Bucket", "Masters").properties
    assert masters["CorsConfiguration"]["CorsRules"] == [
        {
            "AllowedHeaders": ["*"],
            "AllowedMethods": ["PUT"],
            "AllowedOrigins": [f"https://{OPERATED['domain_name']}"],
            "ExposedHeaders": ["ETag"],
            "MaxAge": 3_600,
        }
    ]


def test_no_page_reaches_the_buckets_of_an_environment_without_a_desk(templates):
    for bucket in templates.of("AWS::S3::Bucket"):
        assert "CorsConfiguration" not in bucket.properties


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"api": None}, 'needs an api with access = "jwt"'),
        ({"api": Api()}, 'needs an api with access = "jwt"'),
        ({"desk": Desk()}, "desk: needs client"),
        ({"domain_name": None, "certificate_arn": None, "hosted_zone_id": None}, "domain_name"),
    ],
)
def test_a_desk_where_nobody_can_sign_in_is_refused_at_synthesis(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(DEV, **WITH_DESK | changes)
