"""The CloudFront distribution: images from the load balancer, all else from the site bucket."""

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_elasticloadbalancingv2 as elbv2
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.cache_policies import IMAGE_MAXIMUM, SITE_MAXIMUM, path_only
from stacks.environments import Environment
from stacks.stage import REPOSITORY

CACHE_TAG_HEADER = "Cache-Tag"
VIEWER_REQUEST = REPOSITORY / "stacks" / "functions" / "viewer_request.js"
RENDER_SECONDS = 100
"""Longer than nginx waits for the gateway, so that its answer arrives and not CloudFront's."""
ERROR_SECONDS = 1
"""How long the edge remembers that the origin failed."""


class ImageDistribution(cloudfront.Distribution):
    """Reads only; GET, HEAD and OPTIONS; no error page replaces what the gateway says."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        site: s3.IBucket,
        balancer: elbv2.IApplicationLoadBalancer,
        web_acl_arn: str,
    ) -> None:
        function = cloudfront.Function(
            scope,
            "ViewerRequest",
            code=cloudfront.FunctionCode.from_file(file_path=str(VIEWER_REQUEST)),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
        )
        certificate = environment.certificate_arn
        super().__init__(
            scope,
            id_,
            default_behavior=_site_behavior(scope, site, function),
            additional_behaviors=_image_behaviors(scope, balancer, function),
            domain_names=[environment.domain_name] if environment.domain_name else None,
            certificate=(
                acm.Certificate.from_certificate_arn(scope, "Certificate", certificate)
                if certificate
                else None
            ),
            # Without a certificate of ours CloudFront's own decides, and takes TLS 1.0.
            minimum_protocol_version=(
                cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021 if certificate else None
            ),
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
            web_acl_id=web_acl_arn,
            error_responses=[
                cloudfront.ErrorResponse(
                    http_status=status, ttl=cdk.Duration.seconds(ERROR_SECONDS)
                )
                for status in (500, 502, 503, 504)
            ],
        )
        template = self.node.default_child
        assert isinstance(template, cloudfront.CfnDistribution)
        template.add_property_override(
            "DistributionConfig.CacheTagConfig.HeaderName", CACHE_TAG_HEADER
        )


def _image_behaviors(
    scope: Construct, balancer: elbv2.IApplicationLoadBalancer, function: cloudfront.Function
) -> dict[str, cloudfront.BehaviorOptions]:
    day = cdk.Duration.days(1)
    origin = origins.VpcOrigin.with_application_load_balancer(
        balancer,
        protocol_policy=cloudfront.OriginProtocolPolicy.HTTP_ONLY,
        read_timeout=cdk.Duration.seconds(RENDER_SECONDS),
        keepalive_timeout=cdk.Duration.seconds(60),
    )
    # With the viewer's Host the gateway can name itself where no domain name is configured.
    forwarded = cloudfront.OriginRequestPolicy(
        scope,
        "ViewerHost",
        header_behavior=cloudfront.OriginRequestHeaderBehavior.allow_list("Host"),
        query_string_behavior=cloudfront.OriginRequestQueryStringBehavior.none(),
        cookie_behavior=cloudfront.OriginRequestCookieBehavior.none(),
    )
    policies = {
        "/iiif/*/info.json": path_only(
            scope, "InformationCache", default=day, maximum=IMAGE_MAXIMUM, compressed=True
        ),
        "/iiif/*": path_only(
            scope, "ImagesCache", default=day, maximum=IMAGE_MAXIMUM, compressed=False
        ),
    }
    return {
        path: cloudfront.BehaviorOptions(
            origin=origin,
            cache_policy=policy,
            origin_request_policy=forwarded,
            **_viewing(function),
        )
        for path, policy in policies.items()
    }


def _site_behavior(
    scope: Construct, site: s3.IBucket, function: cloudfront.Function
) -> cloudfront.BehaviorOptions:
    return cloudfront.BehaviorOptions(
        origin=origins.S3BucketOrigin.with_origin_access_control(site),
        cache_policy=path_only(
            scope,
            "SiteCache",
            default=cdk.Duration.minutes(1),
            maximum=SITE_MAXIMUM,
            compressed=True,
        ),
        response_headers_policy=_open_headers(scope),
        **_viewing(function),
    )


def _viewing(function: cloudfront.Function) -> dict[str, Any]:
    """What all behaviors share. Old viewers still ask over HTTP: they are redirected."""
    return {
        "allowed_methods": cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
        "viewer_protocol_policy": cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        "compress": True,
        "function_associations": [
            cloudfront.FunctionAssociation(
                function=function, event_type=cloudfront.FunctionEventType.VIEWER_REQUEST
            )
        ],
    }


def _open_headers(scope: Construct) -> cloudfront.ResponseHeadersPolicy:
    """CORS for what S3 answers; for images the gateway sends it, and twice would break it."""
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
        security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
            content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
            strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
                access_control_max_age=cdk.Duration.days(365), override=True
            ),
        ),
    )
