"""HTTP APIs in front of one Lambda, with a log of every call and a limit of calls a second."""

import json

import aws_cdk as cdk
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.constructs.kept_log import KeptLog
from stacks.environment_values import Api
from stacks.environments import Environment

ANY_PATH = "/{proxy+}"
READING = gateway.HttpMethod.GET
CHANGING = (gateway.HttpMethod.POST, gateway.HttpMethod.PUT, gateway.HttpMethod.DELETE)
TIMEOUT_SECONDS = 29
"""Seconds that a function behind an HTTP API may take: it waits for 30."""
READ_SECONDS = 35
"""Longer than that, so that the gateway's error arrives instead of CloudFront's."""
PREFLIGHT_SECONDS = 3_600
"""Seconds for which a browser need not ask again whether the desk may call the API."""
_LOGGED = {
    "time": "$context.requestTime",
    "request": "$context.requestId",
    "address": "$context.identity.sourceIp",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "status": "$context.status",
    "milliseconds": "$context.responseLatency",
    "caller": "$context.identity.userArn",
    "subject": "$context.authorizer.claims.sub",
    "error": "$context.error.message",
    "integration": "$context.integrationErrorMessage",
}


class LoggedApi(Construct):
    """`api` and its one stage, without a route."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        name: str,
        description: str,
        requests_per_second: int,
        burst: int,
        cors: gateway.CorsPreflightOptions | None = None,
    ) -> None:
        super().__init__(scope, id_)
        self.api = gateway.HttpApi(
            self,
            "Api",
            api_name=name,
            description=description,
            create_default_stage=False,
            cors_preflight=cors,
        )
        log = KeptLog(self, "Log", environment=environment)
        stage = gateway.HttpStage(
            self,
            "Stage",
            http_api=self.api,
            auto_deploy=True,
            throttle=gateway.ThrottleSettings(rate_limit=requests_per_second, burst_limit=burst),
        )
        template = stage.node.default_child
        assert isinstance(template, gateway.CfnStage)
        # The CDK wants a format of its own making; the gateway takes any line.
        template.access_log_settings = gateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=log.log_group_arn, format=json.dumps(_LOGGED)
        )

    def origin(self) -> cloudfront.IOrigin:
        """Return it as an origin of the distribution."""
        stack = cdk.Stack.of(self)
        return origins.HttpOrigin(
            f"{self.api.api_id}.execute-api.{stack.region}.{stack.url_suffix}",
            protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
            origin_ssl_protocols=[cloudfront.OriginSslPolicy.TLS_V1_2],
            read_timeout=cdk.Duration.seconds(READ_SECONDS),
        )


class HttpDoor(LoggedApi):
    """A route for reading and some for changing: nobody gets in who is not known.

    None is for any method: it would take a browser's OPTIONS too, which nobody signs, so the
    authorizer would refuse the desk before the gateway answers by its CORS.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        access: Api,
        answerer: lambda_.IFunction,
    ) -> None:
        super().__init__(
            scope,
            id_,
            environment=environment,
            name=f"vitrine-{environment.name}",
            description=f"Objects, images, redirects and masters of {environment.name}",
            requests_per_second=access.requests_per_second,
            burst=2 * access.requests_per_second,
            cors=_desk_cors(environment),
        )
        self._add_routes(access, integrations.HttpLambdaIntegration("Answerer", answerer))

    def _add_routes(self, access: Api, integration: gateway.HttpRouteIntegration) -> None:
        authorizer: gateway.IHttpRouteAuthorizer = authorizers.HttpIamAuthorizer()
        if access.access == "jwt":
            authorizer = authorizers.HttpJwtAuthorizer(
                "Tokens", access.issuer, jwt_audience=list(access.audience)
            )
        for method in (READING, *CHANGING):
            scope = access.read_scope if method == READING else access.write_scope
            gateway.HttpRoute(
                self,
                method.value.capitalize(),
                http_api=self.api,
                route_key=gateway.HttpRouteKey.with_(ANY_PATH, method),
                integration=integration,
                authorizer=authorizer,
                authorization_scopes=[scope] if access.access == "jwt" else None,
            )


def _desk_cors(environment: Environment) -> gateway.CorsPreflightOptions | None:
    """Let the desk's pages call the API with a token, and pages of no other origin."""
    if not (environment.desk and environment.desk.client):
        return None
    return gateway.CorsPreflightOptions(
        allow_origins=[*environment.desk_origins],
        allow_methods=[gateway.CorsHttpMethod[method.name] for method in (READING, *CHANGING)],
        allow_headers=[
            *("authorization", "content-type"),
            *("if-match", "if-none-match", "idempotency-key"),
        ],
        expose_headers=["etag", "location", "retry-after"],
        max_age=cdk.Duration.seconds(PREFLIGHT_SECONDS),
    )
