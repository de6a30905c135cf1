"""The desk: only people of the API's issuer change anything by it, and only from its own pages."""

import json
import re
from dataclasses import replace

import pytest

from stacks.designs import DEV
from stacks.environment_values import Api, Desk
from tests.infrastructure.edge_parts import by_pattern, resource
from tests.infrastructure.own_values import OPERATED
from vitrine.local.assembly import read_templates
from vitrine.settings.departments import Department

TOKENS = Api(access="jwt", issuer="https://login.example.org/realms/museum", audience=("vitrine",))
DESK = Desk(client="vitrine-desk", sign_in_origins=("https://tokens.example.org",))
PRINTS = Department(collections=("prints",), members=("vitrine/prints",))
WITH_DESK = {**OPERATED, "api": TOKENS, "desk": DESK, "departments": {"prints": PRINTS}}


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


@pytest.mark.slow
def test_browsers_call_the_api_from_pages_of_the_desk_alone(desk):
    assert desk.one("AWS::ApiGatewayV2::Api").properties["CorsConfiguration"] == {
        "AllowHeaders": [
            "authorization",
            "content-type",
            "if-match",
            "if-none-match",
            "idempotency-key",
        ],
        "AllowMethods": ["GET", "POST", "PUT", "DELETE"],
        "AllowOrigins": [f"https://{OPERATED['domain_name']}"],
        "ExposeHeaders": ["etag", "location", "retry-after"],
        "MaxAge": 3_600,
    }
    # The gateway answers a preflight only where no route takes OPTIONS.
    for route in desk.of("AWS::ApiGatewayV2::Route"):
        assert not route.properties["RouteKey"].startswith(("ANY", "OPTIONS", "$default"))


@pytest.mark.slow
def test_the_desk_talks_to_its_api_its_bucket_and_those_who_sign_people_in(desk):
    headers = resource(desk, by_pattern(desk)["/desk/*"]["ResponseHeadersPolicyId"])
    security = headers["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]
    policy = json.dumps(security["ContentSecurityPolicy"]["ContentSecurityPolicy"])
    assert "script-src 'self'; style-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    (sources,) = re.findall(r"connect-src ([^;]+);", policy)
    assert re.match(r"""'self' ",.*ApiEndpoint.*, " https://",.*Masters""", sources)
    region = DEV.region
    assert f".s3.{region}.amazonaws.com https://login.example.org https://tokens.example.org" in (
        sources
    )
    assert "execute-api" not in sources, "a wildcard would let a script send what it found"
    site, found = by_pattern(desk)["*"], by_pattern(desk)["/desk/*"]
    same = ("CachePolicyId", "Compress", "FunctionAssociations", "TargetOriginId")
    assert [found[name] for name in same] == [site[name] for name in same]


@pytest.mark.slow
def test_the_configuration_of_the_desk_is_made_of_outputs(desk):
    template = read_templates(desk.folder)[DEV.region, f"vitrine-{DEV.name}-api"]
    outputs = {name: one["Value"] for name, one in template["Outputs"].items() if "Desk" in name}
    assert outputs == {
        "DeskClient": "vitrine-desk",
        "DeskIssuer": TOKENS.issuer,
        "DeskScope": "openid vitrine/read vitrine/write vitrine/prints",
    }


def test_no_page_reaches_the_buckets_of_an_environment_without_a_desk(templates):
    for bucket in templates.of("AWS::S3::Bucket"):
        assert "CorsConfiguration" not in bucket.properties


@pytest.mark.parametrize(
    "address",
    [
        "http://texts.example.org/propose",
        "https://texts.example.org/a b",
        "ftp://texts.example.org",
        "http://127.0.0.1:9000/",
        f"https://texts.example.org/{'a' * 301}",
    ],
)
def test_texts_are_proposed_over_an_encrypted_connection(address):
    with pytest.raises(ValueError, match="text_proposals"):
        replace(DEV, **WITH_DESK, text_proposals=address)
    assert replace(DEV, **WITH_DESK, text_proposals="https://texts.example.org/propose")
    assert replace(DEV, text_proposals="http://127.0.0.1:9000/propose"), "on one machine"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"api": None, "departments": {}}, 'needs an api with access = "jwt"'),
        ({"api": Api(), "departments": {}}, 'needs an api with access = "jwt"'),
        ({"desk": Desk()}, "desk: needs client"),
        ({"desk": Desk(client="a", sign_in_origins=("login.example.org",))}, "sign_in_origins"),
        ({"desk": Desk(client="a", sign_in_origins=("https://a; script-src *",))}, "sign_in"),
        ({"domain_name": None, "certificate_arn": None, "hosted_zone_id": None}, "domain_name"),
    ],
)
def test_a_desk_where_nobody_can_sign_in_is_refused_at_synthesis(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        replace(DEV, **WITH_DESK | changes)
