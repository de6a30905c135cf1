"""CloudFront's form of the edge's policies (`vitrine/edge/policies.py`)."""

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from constructs import Construct

from vitrine.edge.policies import ERROR_SECONDS, RESPONSE_HEADERS, Behavior


def path_only(scope: Construct, behavior: Behavior) -> cloudfront.CachePolicy:
    """The path is the key, and nothing else; the origin may say: not at all."""
    return cloudfront.CachePolicy(
        scope,
        f"{behavior.name}Cache",
        min_ttl=cdk.Duration.seconds(0),
        default_ttl=cdk.Duration.seconds(behavior.default_seconds),
        max_ttl=cdk.Duration.seconds(behavior.maximum_seconds),
        query_string_behavior=cloudfront.CacheQueryStringBehavior.none(),
        header_behavior=cloudfront.CacheHeaderBehavior.none(),
        cookie_behavior=cloudfront.CacheCookieBehavior.none(),
        enable_accept_encoding_gzip=behavior.compressed,
        enable_accept_encoding_brotli=behavior.compressed,
    )


def told_to_the_gateway(scope: Construct) -> cloudfront.OriginRequestPolicy:
    """The viewer's Host and address, and nothing else that a viewer may choose.

    With the Host the gateway can name itself where no domain name is configured. That is safe:
    CloudFront hands a distribution only requests for its own names.
    """
    return cloudfront.OriginRequestPolicy(
        scope,
        "ToldToTheGateway",
        header_behavior=cloudfront.OriginRequestHeaderBehavior.allow_list(
            "Host", "X-Viewer-Address"
        ),
        query_string_behavior=cloudfront.OriginRequestQueryStringBehavior.none(),
        cookie_behavior=cloudfront.OriginRequestCookieBehavior.none(),
    )


def image_headers(scope: Construct) -> cloudfront.ResponseHeadersPolicy:
    """For what the gateway answers: it sends CORS itself, and twice would break it."""
    return cloudfront.ResponseHeadersPolicy(
        scope,
        "ImageHeaders",
        custom_headers_behavior=_fixed(),
        security_headers_behavior=_transport_security(),
    )


def site_headers(scope: Construct) -> cloudfront.ResponseHeadersPolicy:
    """For what S3 answers: with CORS."""
    return cloudfront.ResponseHeadersPolicy(
        scope,
        "OpenHeaders",
        cors_behavior=cloudfront.ResponseHeadersCorsBehavior(
            access_control_allow_credentials=False,
            access_control_allow_headers=["*"],
            access_control_allow_methods=["GET", "HEAD", "OPTIONS"],
            access_control_allow_origins=["*"],
            access_control_expose_headers=["Link"],
            origin_override=True,
        ),
        custom_headers_behavior=_fixed(),
        security_headers_behavior=_transport_security(),
    )


def _fixed() -> cloudfront.ResponseCustomHeadersBehavior:
    return cloudfront.ResponseCustomHeadersBehavior(
        custom_headers=[
            cloudfront.ResponseCustomHeader(header=name, value=value, override=True)
            for name, value in RESPONSE_HEADERS.items()
        ]
    )


def _transport_security() -> cloudfront.ResponseSecurityHeadersBehavior:
    return cloudfront.ResponseSecurityHeadersBehavior(
        content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
        strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
            access_control_max_age=cdk.Duration.days(365), override=True
        ),
    )


def brief_errors() -> list[cloudfront.ErrorResponse]:
    """Errors arrive as the origin says them, and are soon asked for again."""
    return [
        cloudfront.ErrorResponse(http_status=status, ttl=cdk.Duration.seconds(seconds))
        for status, seconds in ERROR_SECONDS.items()
    ]
