"""The edge's policies (`vitrine/edge/policies.py`) as CloudFront's."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from constructs import Construct

from vitrine.edge.policies import (
    DAY,
    ERROR_SECONDS,
    EXPOSED_HEADERS,
    PERMISSIONS_POLICY,
    PHOTO_EXPOSED_HEADERS,
    PHOTO_HEADERS,
    PHOTO_METHODS,
    REMOVED_HEADERS,
    RESPONSE_HEADERS,
    RESTRICTED_LIFE,
    SEARCH_FIELDS,
    Behavior,
)


class _TransportSecurity(TypedDict):
    content_type_options: cloudfront.ResponseHeadersContentTypeOptions
    strict_transport_security: cloudfront.ResponseHeadersStrictTransportSecurity


class CachePolicies:
    """One policy for all behaviors that keep alike: an account has 20 (CloudFront, "Quotas")."""

    def __init__(self, scope: Construct) -> None:
        self._scope = scope
        self._made: dict[object, cloudfront.CachePolicy] = {}

    def of(self, behavior: Behavior) -> cloudfront.CachePolicy:
        """Return the policy of a behavior, which is called after the first that has it."""
        key = (
            behavior.default_seconds,
            behavior.maximum_seconds,
            behavior.compressed,
            behavior.key_headers,
        )
        if key not in self._made:
            self._made[key] = _cache_policy(self._scope, behavior)
        return self._made[key]


def _cache_policy(scope: Construct, behavior: Behavior) -> cloudfront.CachePolicy:
    """Return a policy whose key is the path and `key_headers`; the origin may forbid caching."""
    return cloudfront.CachePolicy(
        scope,
        f"{behavior.name}Cache",
        min_ttl=cdk.Duration.seconds(0),
        default_ttl=cdk.Duration.seconds(behavior.default_seconds),
        max_ttl=cdk.Duration.seconds(behavior.maximum_seconds),
        query_string_behavior=cloudfront.CacheQueryStringBehavior.none(),
        header_behavior=(
            cloudfront.CacheHeaderBehavior.allow_list(*behavior.key_headers)
            if behavior.key_headers
            else cloudfront.CacheHeaderBehavior.none()
        ),
        cookie_behavior=cloudfront.CacheCookieBehavior.none(),
        enable_accept_encoding_gzip=behavior.compressed,
        enable_accept_encoding_brotli=behavior.compressed,
    )


def search_policy(scope: Construct) -> cloudfront.CachePolicy:
    """Return a policy whose key is the path, and the query as the edge's function writes it."""
    return cloudfront.CachePolicy(
        scope,
        "ContentSearchCache",
        min_ttl=cdk.Duration.seconds(0),
        default_ttl=cdk.Duration.seconds(0),
        max_ttl=cdk.Duration.seconds(DAY),
        query_string_behavior=cloudfront.CacheQueryStringBehavior.allow_list(*SEARCH_FIELDS),
        header_behavior=cloudfront.CacheHeaderBehavior.none(),
        cookie_behavior=cloudfront.CacheCookieBehavior.none(),
        enable_accept_encoding_gzip=True,
        enable_accept_encoding_brotli=True,
    )


def gateway_request_policy(
    scope: Construct, headers: Sequence[str], *, id_: str = "ToldToTheGateway"
) -> cloudfront.OriginRequestPolicy:
    """Return a policy that forwards these headers, and nothing else of a viewer's."""
    return cloudfront.OriginRequestPolicy(
        scope,
        id_,
        header_behavior=cloudfront.OriginRequestHeaderBehavior.allow_list(*headers),
        query_string_behavior=cloudfront.OriginRequestQueryStringBehavior.none(),
        cookie_behavior=cloudfront.OriginRequestCookieBehavior.none(),
    )


def image_headers_policy(scope: Construct) -> cloudfront.ResponseHeadersPolicy:
    """Return the headers for answers of the gateway, which sends CORS itself, once."""
    return cloudfront.ResponseHeadersPolicy(
        scope,
        "ImageHeaders",
        custom_headers_behavior=_fixed_headers({}),
        security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
            **_transport_security()
        ),
    )


def photo_headers_policy(scope: Construct) -> cloudfront.ResponseHeadersPolicy:
    """Return the headers for answers of the photo door: CORS, no matter who answers in its place.

    What API Gateway, the firewall or CloudFront refuses has none, and a page would not see why. The
    door says the same, for those who reach it otherwise; `origin_override` leaves one of the two.
    """
    return cloudfront.ResponseHeadersPolicy(
        scope,
        "PhotoHeaders",
        cors_behavior=cloudfront.ResponseHeadersCorsBehavior(
            access_control_allow_credentials=False,
            access_control_allow_headers=[*PHOTO_HEADERS],
            access_control_allow_methods=[*PHOTO_METHODS],
            access_control_allow_origins=["*"],
            access_control_expose_headers=[*PHOTO_EXPOSED_HEADERS],
            access_control_max_age=cdk.Duration.seconds(DAY),
            origin_override=True,
        ),
        custom_headers_behavior=_fixed_headers({}),
        security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
            **_transport_security()
        ),
    )


def restricted_headers_policy(scope: Construct) -> cloudfront.ResponseHeadersPolicy:
    """Return the same for restricted answers, which stay at the edge: no viewer keeps them."""
    return cloudfront.ResponseHeadersPolicy(
        scope,
        "RestrictedHeaders",
        custom_headers_behavior=_fixed_headers({"Cache-Control": RESTRICTED_LIFE}),
        security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
            referrer_policy=_no_referrer(), **_transport_security()
        ),
    )


def site_headers_policy(
    scope: Construct, id_: str, policy: str
) -> cloudfront.ResponseHeadersPolicy:
    """Return the headers for answers of S3: CORS, and the Content-Security-Policy of the page."""
    return cloudfront.ResponseHeadersPolicy(
        scope,
        id_,
        cors_behavior=cloudfront.ResponseHeadersCorsBehavior(
            access_control_allow_credentials=False,
            access_control_allow_headers=["*"],
            access_control_allow_methods=["GET", "HEAD", "OPTIONS"],
            access_control_allow_origins=["*"],
            access_control_expose_headers=[*EXPOSED_HEADERS],
            origin_override=True,
        ),
        custom_headers_behavior=_fixed_headers({"Permissions-Policy": PERMISSIONS_POLICY}),
        remove_headers=[*REMOVED_HEADERS],
        security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
            content_security_policy=cloudfront.ResponseHeadersContentSecurityPolicy(
                content_security_policy=policy, override=True
            ),
            referrer_policy=_no_referrer(),
            **_transport_security(),
        ),
    )


def _fixed_headers(others: Mapping[str, str]) -> cloudfront.ResponseCustomHeadersBehavior:
    return cloudfront.ResponseCustomHeadersBehavior(
        custom_headers=[
            cloudfront.ResponseCustomHeader(header=name, value=value, override=True)
            for name, value in {**RESPONSE_HEADERS, **others}.items()
        ]
    )


def _no_referrer() -> cloudfront.ResponseHeadersReferrerPolicy:
    """Return vitrine.edge.policies.REFERRER_POLICY as CloudFront's."""
    return cloudfront.ResponseHeadersReferrerPolicy(
        referrer_policy=cloudfront.HeadersReferrerPolicy.NO_REFERRER, override=True
    )


def _transport_security() -> _TransportSecurity:
    return {
        "content_type_options": cloudfront.ResponseHeadersContentTypeOptions(override=True),
        "strict_transport_security": cloudfront.ResponseHeadersStrictTransportSecurity(
            access_control_max_age=cdk.Duration.days(365), override=True
        ),
    }


def brief_error_responses() -> list[cloudfront.ErrorResponse]:
    """Return responses that keep errors, as the origin sends them, for seconds only."""
    return [
        cloudfront.ErrorResponse(http_status=status, ttl=cdk.Duration.seconds(seconds))
        for status, seconds in ERROR_SECONDS.items()
    ]
