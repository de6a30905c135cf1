"""What the edge keeps, lets through and rejects."""

from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from stacks.environment_values import Api
from tests.infrastructure.edge_parts import (
    OF_IMAGES,
    RESTRICTED,
    behaviors,
    by_pattern,
    distribution,
    policy_of,
    resource,
)
from vitrine.adapters.aws.edge_cache import ALL_IMAGES
from vitrine.deliver.http.headers import STALE_IF_ERROR_SECONDS
from vitrine.edge.policies import BEHAVIORS, INSIDE_PATTERN
from vitrine.settings.deliver import DeliverOptions
from vitrine.settings.photos import PhotoOptions


def test_each_kind_of_address_has_its_policy(templates):
    found = by_pattern(templates)
    assert list(found) == [behavior.pattern for behavior in BEHAVIORS]
    for behavior in BEHAVIORS:
        policy = policy_of(templates, found[behavior.pattern])
        assert policy["MinTTL"] == 0
        assert policy["DefaultTTL"] == behavior.default_seconds
        assert policy["MaxTTL"] == behavior.maximum_seconds


def test_the_cache_key_is_the_path_and_of_documents_their_media_type(templates):
    information = {"HeaderBehavior": "whitelist", "Headers": ["Accept"]}
    for pattern, behavior in by_pattern(templates).items():
        key = policy_of(templates, behavior)["ParametersInCacheKeyAndForwardedToOrigin"]
        assert key["QueryStringsConfig"] == {"QueryStringBehavior": "none"}
        of_document = pattern.endswith(("info.json", "presentation/*"))
        expected = information if of_document else {"HeaderBehavior": "none"}
        assert key["HeadersConfig"] == expected
        assert key["CookiesConfig"] == {"CookieBehavior": "none"}


def test_only_host_address_and_signals_of_a_viewer_reach_the_gateway(templates):
    for pattern, behavior in by_pattern(templates).items():
        if not pattern.startswith(OF_IMAGES):
            assert "OriginRequestPolicyId" not in behavior
            continue
        policy = resource(templates, behavior["OriginRequestPolicyId"])
        config = policy["OriginRequestPolicyConfig"]
        assert config["HeadersConfig"] == {
            "HeaderBehavior": "whitelist",
            "Headers": ["Host", "X-Viewer-Address", "X-Viewer-Signals"]
            + ["X-Vitrine-Ticket"] * pattern.startswith(RESTRICTED),
        }
        assert config["QueryStringsConfig"] == {"QueryStringBehavior": "none"}
        assert config["CookiesConfig"] == {"CookieBehavior": "none"}


def test_documents_are_compressed_and_images_kept_in_one_copy(templates):
    for pattern, behavior in by_pattern(templates).items():
        key = policy_of(templates, behavior)["ParametersInCacheKeyAndForwardedToOrigin"]
        helps = pattern not in ("/iiif/*", "/restricted/*")
        assert behavior["Compress"] is helps, pattern
        assert key["EnableAcceptEncodingGzip"] is helps, pattern
        assert key["EnableAcceptEncodingBrotli"] is helps, pattern


def test_the_edge_may_serve_stale_as_long_as_the_origin_allows(templates):
    sent = DeliverOptions().edge_max_age_seconds
    for pattern, behavior in by_pattern(templates).items():
        if pattern.startswith(OF_IMAGES):
            # CloudFront gives nothing stale that is older than the policy's maximum.
            assert policy_of(templates, behavior)["MaxTTL"] >= 2 * (sent + STALE_IF_ERROR_SECONDS)


def test_one_tag_purges_one_image(templates):
    assert distribution(templates)["CacheTagConfig"] == {"HeaderName": "Cache-Tag"}


def test_one_wildcard_drops_all_that_is_kept_by_tag(templates):
    patterns = [
        item["PathPattern"]
        for item in distribution(templates)["CacheBehaviors"]
        if item["PathPattern"].startswith((*OF_IMAGES, INSIDE_PATTERN.rstrip("*")))
    ]
    assert INSIDE_PATTERN in patterns
    wildcards = tuple(item.rstrip("*") for item in ALL_IMAGES)
    assert [one for one in patterns if not one.startswith(wildcards)] == []


def test_cors_is_sent_once(templates):
    for pattern, behavior in by_pattern(templates).items():
        policy = resource(templates, behavior["ResponseHeadersPolicyId"])
        config = policy["ResponseHeadersPolicyConfig"]
        if pattern.startswith(OF_IMAGES):
            assert "CorsConfig" not in config, "the gateway sends CORS for images"
            continue
        cors = config["CorsConfig"]
        assert cors["AccessControlAllowOrigins"] == {"Items": ["*"]}
        assert cors["AccessControlAllowMethods"] == {"Items": ["GET", "HEAD", "OPTIONS"]}
        assert cors["AccessControlExposeHeaders"] == {"Items": ["ETag", "Link", "Retry-After"]}
        assert cors["AccessControlAllowCredentials"] is False
        assert cors["OriginOverride"] is True


def test_every_answer_demands_https_and_its_own_content_type(templates):
    for behavior in behaviors(templates):
        policy = resource(templates, behavior["ResponseHeadersPolicyId"])
        security = policy["ResponseHeadersPolicyConfig"]["SecurityHeadersConfig"]
        assert security["StrictTransportSecurity"]["AccessControlMaxAgeSec"] >= 31_536_000
        assert security["ContentTypeOptions"]["Override"] is True


def test_viewers_only_read_over_https(templates):
    assert distribution(templates)["HttpVersion"] == "http2and3"
    for behavior in behaviors(templates):
        assert behavior["AllowedMethods"] == ["GET", "HEAD", "OPTIONS"]
        assert behavior["ViewerProtocolPolicy"] == "redirect-to-https"


def test_an_error_arrives_as_the_gateway_sent_it(templates):
    responses = distribution(templates)["CustomErrorResponses"]
    for response in responses:
        assert response["ErrorCachingMinTTL"] <= 5
        assert "ResponsePagePath" not in response
        assert "ResponseCode" not in response
    # The errors that CloudFront keeps by itself, for ten seconds.
    kept = {404, 414, 500, 501, 502, 503, 504}
    assert {response["ErrorCode"] for response in responses} == kept


def test_one_function_sees_every_request_first(templates):
    found = {item.id: item.properties for item in templates.of("AWS::CloudFront::Function")}
    for properties in found.values():
        assert properties["FunctionConfig"]["Runtime"] == "cloudfront-js-2.0"
        assert len(properties["FunctionCode"].encode()) <= 8_240, "2,000 bytes stay free"
    for restricted in (False, True):
        first = {
            _functions(behavior)["viewer-request"]
            for pattern, behavior in by_pattern(templates).items()
            if pattern.startswith(RESTRICTED) is restricted
        }
        assert len(first) == 1
        assert first <= set(found)
        assert ("RestrictedRequest" in str(first)) is restricted


def _functions(behavior):
    return {
        item["EventType"]: item["FunctionARN"]["Fn::GetAtt"][0]
        for item in behavior["FunctionAssociations"]
    }


def test_the_site_s_answers_alone_get_the_status_that_is_written_next_to_them(templates):
    (found,) = {
        _functions(behavior).get("viewer-response")
        for pattern, behavior in by_pattern(templates).items()
        if not pattern.startswith(OF_IMAGES)
    }
    (function,) = [item for item in templates.of("AWS::CloudFront::Function") if item.id == found]
    assert "x-amz-meta-status" in function.properties["FunctionCode"]
    for pattern, behavior in by_pattern(templates).items():
        if pattern.startswith(OF_IMAGES):
            assert set(_functions(behavior)) == {"viewer-request"}


def test_where_the_site_has_no_page_the_balancer_has_one(templates):
    (group,) = distribution(templates)["OriginGroups"]["Items"]
    assert group["FailoverCriteria"]["StatusCodes"]["Items"] == [404]
    origins = {item["Id"]: item for item in distribution(templates)["Origins"]}
    first, second = [origins[item["OriginId"]] for item in group["Members"]["Items"]]
    assert "S3OriginConfig" in first
    assert "VpcOriginConfig" in second
    listener = templates.one("AWS::ElasticLoadBalancingV2::Listener").properties
    (action,) = listener["DefaultActions"]
    answer = action["FixedResponseConfig"]
    assert (answer["StatusCode"], answer["ContentType"]) == ("404", "text/html")
    assert '<a href="/">' in answer["MessageBody"]
    assert len(answer["MessageBody"].encode()) <= 1_024, "a balancer answers no more"


def test_images_come_from_the_balancer_and_all_else_from_the_site(templates):
    config = distribution(templates)
    origins = {item["Id"]: item for item in config["Origins"]}
    (group,) = config["OriginGroups"]["Items"]
    origins[group["Id"]] = origins[group["Members"]["Items"][0]["OriginId"]]
    for pattern, behavior in by_pattern(templates).items():
        origin = origins[behavior["TargetOriginId"]]
        if pattern.startswith(OF_IMAGES):
            assert "VpcOriginConfig" in origin
        else:
            assert origin["S3OriginConfig"]["OriginAccessIdentity"] == ""
            assert origin["OriginAccessControlId"]


def test_an_origin_shield_is_in_the_region_of_the_images(templates):
    environment = templates.environment
    for origin in distribution(templates)["Origins"]:
        if "VpcOriginConfig" in origin and environment.origin_shield:
            assert origin["OriginShield"] == {
                "Enabled": True,
                "OriginShieldRegion": environment.region,
            }
        else:
            assert "OriginShield" not in origin


def test_the_origin_has_time_for_the_worst_render(templates):
    for origin in distribution(templates)["Origins"]:
        if "VpcOriginConfig" in origin:
            assert 90 < origin["VpcOriginConfig"]["OriginReadTimeout"] <= 120


@pytest.mark.slow
def test_the_listener_forwards_every_path_that_behaviors_take_from_the_balancer(
    templates, synthesize
):
    with_photos = replace(templates.environment, api=Api(), photos=PhotoOptions())
    for made in (templates, synthesize(with_photos)):
        config = distribution(made)
        balancers = {item["Id"] for item in config["Origins"] if "VpcOriginConfig" in item}
        patterns = [
            behavior["PathPattern"]
            for behavior in config["CacheBehaviors"]
            if behavior["TargetOriginId"] in balancers
        ]
        rule = made.one("AWS::ElasticLoadBalancingV2::ListenerRule").properties
        (condition,) = rule["Conditions"]
        forwarded = condition["PathPatternConfig"]["Values"]
        assert len(forwarded) <= 5, "a rule of a listener takes at most five values"
        for pattern in patterns:
            assert any(fnmatchcase(pattern, one) for one in forwarded), pattern
        assert ("/photos" in patterns) is (made.environment.photos is not None)


def test_five_environments_fit_into_an_account(templates):
    """CloudFront's quotas: 20 policies of each kind in an account."""
    for kind in ("CachePolicy", "OriginRequestPolicy"):
        assert len(templates.of(f"AWS::CloudFront::{kind}")) <= 4
