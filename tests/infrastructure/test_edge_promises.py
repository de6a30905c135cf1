"""What the edge keeps, lets through and refuses."""

from dataclasses import replace

from stacks.constructs.image_balancer import IMAGE_PATHS
from stacks.environments import ENVIRONMENTS
from vitrine.settings import DeliverSettings


def _distribution(templates):
    return templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]


def _behaviors(templates):
    config = _distribution(templates)
    return [config["DefaultCacheBehavior"], *config["CacheBehaviors"]]


def _policies(templates):
    return {
        item.id: item.properties["CachePolicyConfig"]
        for item in templates.of("AWS::CloudFront::CachePolicy")
    }


def test_the_cache_key_is_the_path_alone(templates):
    for name, policy in _policies(templates).items():
        key = policy["ParametersInCacheKeyAndForwardedToOrigin"]
        assert key["QueryStringsConfig"] == {"QueryStringBehavior": "none"}, name
        assert key["HeadersConfig"] == {"HeaderBehavior": "none"}, name
        assert key["CookiesConfig"] == {"CookieBehavior": "none"}, name
    for behavior in _behaviors(templates):
        assert behavior["CachePolicyId"]["Ref"] in _policies(templates)


def test_images_are_kept_in_one_copy_whatever_encoding_is_accepted(templates):
    (policy,) = [
        policy for name, policy in _policies(templates).items() if name.startswith("ImagesCache")
    ]
    key = policy["ParametersInCacheKeyAndForwardedToOrigin"]
    assert not key["EnableAcceptEncodingGzip"]
    assert not key["EnableAcceptEncodingBrotli"]


def test_the_edge_keeps_longer_than_the_origin_says_so_that_it_may_serve_stale(templates):
    sent = DeliverSettings(access_masters_bucket="", identifiers_table="").edge_max_age_seconds
    for name, policy in _policies(templates).items():
        assert policy["MinTTL"] <= 1, name
        if not name.startswith("SiteCache"):
            assert policy["MaxTTL"] >= 2 * sent, name


def test_one_tag_purges_one_image(templates):
    assert _distribution(templates)["CacheTagConfig"] == {"HeaderName": "Cache-Tag"}


def test_cors_is_sent_once(templates):
    config = _distribution(templates)
    policy = templates.one("AWS::CloudFront::ResponseHeadersPolicy")
    assert config["DefaultCacheBehavior"]["ResponseHeadersPolicyId"] == {"Ref": policy.id}
    for behavior in config["CacheBehaviors"]:
        assert "ResponseHeadersPolicyId" not in behavior, "the gateway sends CORS for images"
    cors = policy.properties["ResponseHeadersPolicyConfig"]["CorsConfig"]
    assert cors["AccessControlAllowOrigins"] == {"Items": ["*"]}
    assert cors["AccessControlAllowMethods"] == {"Items": ["GET", "HEAD", "OPTIONS"]}
    assert cors["AccessControlExposeHeaders"] == {"Items": ["Link"]}
    assert cors["AccessControlAllowCredentials"] is False
    assert cors["OriginOverride"] is True


def test_viewers_only_read_over_https(templates):
    assert _distribution(templates)["HttpVersion"] == "http2and3"
    for behavior in _behaviors(templates):
        assert behavior["AllowedMethods"] == ["GET", "HEAD", "OPTIONS"]
        assert behavior["ViewerProtocolPolicy"] == "redirect-to-https"


def test_what_the_gateway_says_of_an_error_arrives(templates):
    for response in _distribution(templates)["CustomErrorResponses"]:
        assert response["ErrorCode"] >= 500
        assert response["ErrorCachingMinTTL"] <= 5
        assert "ResponsePagePath" not in response


def test_one_function_sees_every_request_first(templates):
    function = templates.one("AWS::CloudFront::Function")
    assert function.properties["FunctionConfig"]["Runtime"] == "cloudfront-js-2.0"
    assert len(function.properties["FunctionCode"].encode()) < 10_240
    for behavior in _behaviors(templates):
        (association,) = behavior["FunctionAssociations"]
        assert association["EventType"] == "viewer-request"
        assert association["FunctionARN"]["Fn::GetAtt"][0] == function.id


def test_images_come_from_the_balancer_and_all_else_from_the_site(templates):
    config = _distribution(templates)
    origins = {item["Id"]: item for item in config["Origins"]}
    images = config["CacheBehaviors"]
    assert [item["PathPattern"] for item in images] == ["/iiif/*/info.json", *IMAGE_PATHS]
    for behavior in images:
        assert "VpcOriginConfig" in origins[behavior["TargetOriginId"]]
    site = origins[config["DefaultCacheBehavior"]["TargetOriginId"]]
    assert site["S3OriginConfig"]["OriginAccessIdentity"] == ""
    assert site["OriginAccessControlId"]


def test_the_origin_has_time_for_the_worst_render(templates):
    for origin in _distribution(templates)["Origins"]:
        if "VpcOriginConfig" in origin:
            assert 90 < origin["VpcOriginConfig"]["OriginReadTimeout"] <= 120


def test_the_rate_rule_counts_first(templates):
    acl = templates.one("AWS::WAFv2::WebACL")
    assert acl.properties["Scope"] == "CLOUDFRONT"
    (rule,) = acl.properties["Rules"]
    assert rule["Action"] == {"Count": {}}
    assert rule["Statement"]["RateBasedStatement"]["AggregateKeyType"] == "IP"


def test_the_rate_rule_blocks_when_told(synthesize):
    blocking = replace(ENVIRONMENTS["dev"], rate_rule_action="block")
    (rule,) = synthesize(blocking).one("AWS::WAFv2::WebACL").properties["Rules"]
    assert rule["Action"] == {"Block": {}}


def test_the_web_acl_stands_in_us_east_1(templates):
    acl = templates.one("AWS::WAFv2::WebACL")
    (stack,) = [
        item for item in templates.assembly.stacks if item.stack_name.endswith(f"-{acl.stage}")
    ]
    assert stack.environment.region == "us-east-1"
    assert _distribution(templates)["WebACLId"]


def test_a_certificate_brings_the_domain_and_modern_tls(synthesize):
    arn = "arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000000"
    templates = synthesize(
        replace(ENVIRONMENTS["dev"], domain_name="images.example.org", certificate_arn=arn)
    )
    config = _distribution(templates)
    assert config["Aliases"] == ["images.example.org"]
    assert config["ViewerCertificate"]["AcmCertificateArn"] == arn
    assert config["ViewerCertificate"]["MinimumProtocolVersion"] == "TLSv1.2_2021"
    for container in templates.one("AWS::ECS::TaskDefinition").properties["ContainerDefinitions"]:
        variables = {item["Name"]: item["Value"] for item in container["Environment"]}
        assert variables["VITRINE_PUBLIC_BASE_URL"] == "https://images.example.org"
