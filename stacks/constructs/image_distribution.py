"""The CloudFront distribution: images from their service, everything else from the site."""

from collections.abc import Sequence

from aws_cdk import aws_certificatemanager as acm
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.constructs.authorization_function import AuthorizationFunction
from stacks.constructs.cache_policies import (
    CachePolicies,
    brief_error_responses,
    gateway_request_policy,
    image_headers_policy,
    photo_headers_policy,
    restricted_headers_policy,
    search_policy,
    site_headers_policy,
)
from stacks.constructs.content_search_function import ContentSearchFunction
from stacks.constructs.edge_function_code import function_code
from stacks.constructs.image_origin import ImageOrigin
from stacks.constructs.mcp_function import McpFunction
from stacks.constructs.photo_function import PhotoFunction
from stacks.environments import Environment
from vitrine.edge.functions import (
    AUTH_REQUEST,
    CONTENT_SEARCH_REQUEST,
    MCP_REQUEST,
    PAGE_RESPONSE,
    PHOTO_REQUEST,
    RESTRICTED_REQUEST,
    VIEWER_REQUEST,
)
from vitrine.edge.policies import (
    AUTH_PATTERN,
    BEHAVIORS,
    CACHE_TAG_HEADER,
    DESK,
    INSIDE_PATTERN,
    MCP_PATTERN,
    PHOTOS_PATTERN,
    TICKET_HEADER,
    Behavior,
    page_policy,
)

_WITHOUT_ORIGIN = (
    *("cache_policy", "response_headers_policy", "compress", "allowed_methods"),
    *("viewer_protocol_policy", "function_associations"),
)
"""Options of a page's behavior, which is added without those of its origin."""


class ImageDistribution(cloudfront.Distribution):
    """It takes GET, HEAD and OPTIONS, at the photo door and `/mcp` POST too; no error page replaces
    an answer of the gateway."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        site: s3.IBucket,
        images: ImageOrigin,
        photo_function: PhotoFunction | None,
        authorization_function: AuthorizationFunction | None,
        content_search_function: ContentSearchFunction,
        mcp_function: McpFunction | None,
        web_acl_arn: str | None,
    ) -> None:
        self.ticket_store = cloudfront.KeyValueStore(scope, "TicketStore")
        self._behaviors = behaviors = _Behaviors(
            scope, environment, site, images, self.ticket_store
        )
        doors = {INSIDE_PATTERN: behaviors.searches_content(content_search_function)}
        if environment.photos:
            doors[PHOTOS_PATTERN] = behaviors.photo_door(photo_function)
        if authorization_function:
            doors[AUTH_PATTERN] = behaviors.access_services(authorization_function)
        if mcp_function:
            doors[MCP_PATTERN] = behaviors.mcp_endpoint(mcp_function)
        *named, default = BEHAVIORS
        certificate = environment.certificate_arn
        super().__init__(
            scope,
            id_,
            default_behavior=behaviors.options(default),
            additional_behaviors={
                **{item.pattern: behaviors.options(item) for item in named},
                **doors,
            },
            domain_names=[environment.domain_name] if environment.domain_name else None,
            certificate=(
                acm.Certificate.from_certificate_arn(scope, "Certificate", certificate)
                if certificate
                else None
            ),
            # Without a certificate of ours, CloudFront uses its own and accepts TLS 1.0.
            minimum_protocol_version=(
                cloudfront.SecurityPolicyProtocol.TLS_V1_2_2025 if certificate else None
            ),
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
            web_acl_id=web_acl_arn,
            geo_restriction=(
                cloudfront.GeoRestriction.denylist(*environment.blocked_countries)
                if environment.blocked_countries
                else None
            ),
            error_responses=brief_error_responses(),
            # Hit ratio, origin latency and the share of each error code.
            publish_additional_metrics=environment.edge_metrics or None,
        )
        template = self.node.default_child
        assert isinstance(template, cloudfront.CfnDistribution)
        template.add_property_override(
            "DistributionConfig.CacheTagConfig.HeaderName", CACHE_TAG_HEADER
        )

    def serve_desk(self, sources: Sequence[str]) -> None:
        """Add the behavior of the desk, which talks to these origins next to its own."""
        options = self._behaviors.options(DESK, sources)
        self.add_behavior(
            DESK.pattern,
            options.origin,
            **{name: getattr(options, name) for name in _WITHOUT_ORIGIN},
        )


class _Behaviors:
    """The behaviors, and what they share: origins, policies, the function."""

    def __init__(
        self,
        scope: Construct,
        environment: Environment,
        site: s3.IBucket,
        images: ImageOrigin,
        tickets: cloudfront.IKeyValueStore,
    ) -> None:
        self._scope = scope
        self._function = cloudfront.Function(
            scope,
            "ViewerRequest",
            code=cloudfront.FunctionCode.from_inline(function_code(VIEWER_REQUEST)),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
        )
        self._restricted_function = cloudfront.Function(
            scope,
            "RestrictedRequest",
            code=cloudfront.FunctionCode.from_inline(function_code(RESTRICTED_REQUEST)),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
            key_value_store=tickets,
        )
        self._page_response = cloudfront.Function(
            scope,
            "PageResponse",
            code=cloudfront.FunctionCode.from_inline(function_code(PAGE_RESPONSE)),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
        )
        served = images.origin()
        self._origins: dict[str, cloudfront.IOrigin] = {
            "images": served,
            # Where the bucket has no page, the image service has one that says so.
            "site": origins.OriginGroup(
                primary_origin=origins.S3BucketOrigin.with_origin_access_control(site),
                fallback_origin=served,
                fallback_status_codes=[404],
            ),
        }
        self._frame_ancestors = environment.frame_ancestors
        self._cache_policies = CachePolicies(scope)
        self._image_headers = image_headers_policy(scope)
        self._restricted_headers = restricted_headers_policy(scope)
        self._forwarded = {"images": gateway_request_policy(scope, images.forwarded_headers)}
        self._forwarded_with_ticket = gateway_request_policy(
            scope, (*images.forwarded_headers, TICKET_HEADER), id_="WithTicket"
        )

    def options(
        self, behavior: Behavior, desk_sources: Sequence[str] = ()
    ) -> cloudfront.BehaviorOptions:
        """Return the options of a behavior; viewers that still use HTTP are redirected."""
        return cloudfront.BehaviorOptions(
            origin=self._origins[behavior.origin],
            cache_policy=self._cache_policies.of(behavior),
            origin_request_policy=(
                self._forwarded_with_ticket
                if behavior.is_restricted
                else self._forwarded.get(behavior.origin)
            ),
            response_headers_policy=self._headers(behavior, desk_sources),
            compress=behavior.compressed,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
            function_associations=self._functions(behavior),
        )

    def _headers(
        self, behavior: Behavior, desk_sources: Sequence[str]
    ) -> cloudfront.ResponseHeadersPolicy:
        if behavior.is_restricted:
            return self._restricted_headers
        if behavior.origin == "images":
            return self._image_headers
        policy = page_policy(behavior, self._frame_ancestors, desk_sources)
        return site_headers_policy(self._scope, f"{behavior.name}Headers", policy)

    def _functions(self, behavior: Behavior) -> list[cloudfront.FunctionAssociation]:
        events = cloudfront.FunctionEventType
        found = [
            cloudfront.FunctionAssociation(
                function=self._restricted_function if behavior.is_restricted else self._function,
                event_type=events.VIEWER_REQUEST,
            )
        ]
        if behavior.origin == "site":
            after = cloudfront.FunctionAssociation(
                function=self._page_response, event_type=events.VIEWER_RESPONSE
            )
            found.append(after)
        return found

    def photo_door(self, function: PhotoFunction | None) -> cloudfront.BehaviorOptions:
        """Return the options of the photo door: nothing is kept, all of a request goes on.

        To a function all but the Host, by which its gateway knows it.
        """
        forwarded = cloudfront.OriginRequestPolicy
        return cloudfront.BehaviorOptions(
            origin=function.origin() if function else self._origins["images"],
            cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
            origin_request_policy=(
                forwarded.ALL_VIEWER_EXCEPT_HOST_HEADER if function else forwarded.ALL_VIEWER
            ),
            response_headers_policy=photo_headers_policy(self._scope),
            compress=False,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
            function_associations=[self._before("PhotoRequest", PHOTO_REQUEST)]
            if function
            else None,
        )

    def access_services(self, function: AuthorizationFunction) -> cloudfront.BehaviorOptions:
        """Return the options of the services of access: nothing is kept, all of a request goes on
        but the Host; the function before it says who asks from where."""
        return cloudfront.BehaviorOptions(
            origin=function.origin(),
            cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
            origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
            response_headers_policy=self._image_headers,
            compress=False,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
            function_associations=[self._before("AuthRequest", AUTH_REQUEST)],
        )

    def searches_content(self, function: ContentSearchFunction) -> cloudfront.BehaviorOptions:
        """Return the options of searches inside objects: kept by the query that the function
        before it writes, of which nothing else goes on."""
        headers = ("X-Public-Base", "X-Request-Uri")
        return cloudfront.BehaviorOptions(
            origin=function.origin(),
            cache_policy=search_policy(self._scope),
            origin_request_policy=gateway_request_policy(self._scope, headers, id_="WithSearch"),
            response_headers_policy=self._image_headers,
            compress=True,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
            function_associations=[self._before("ContentSearchRequest", CONTENT_SEARCH_REQUEST)],
        )

    def mcp_endpoint(self, function: McpFunction) -> cloudfront.BehaviorOptions:
        """Return the options of `/mcp`: nothing is kept, all of a request goes on but the Host, by
        which its gateway knows it. The functions say CORS."""
        return cloudfront.BehaviorOptions(
            origin=function.origin(),
            cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
            origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
            compress=False,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
            function_associations=[self._before("McpRequest", MCP_REQUEST)],
        )

    def _before(self, id_: str, files: tuple[str, ...]) -> cloudfront.FunctionAssociation:
        function = cloudfront.Function(
            self._scope,
            id_,
            code=cloudfront.FunctionCode.from_inline(function_code(files)),
            runtime=cloudfront.FunctionRuntime.JS_2_0,
        )
        return cloudfront.FunctionAssociation(
            function=function, event_type=cloudfront.FunctionEventType.VIEWER_REQUEST
        )
