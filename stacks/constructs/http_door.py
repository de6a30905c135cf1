"""HTTP APIs in front of one Lambda, with a log of every call and a limit of calls a second."""

import json

from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.constructs.kept_log import KeptLog
from stacks.environment_values import Api
from stacks.environments import Environment

ANY_PATH = "/{proxy+}"
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
    ) -> None:
        super().__init__(scope, id_)
        self.api = gateway.HttpApi(
            self, "Api", api_name=name, description=description, create_default_stage=False
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


class HttpDoor(LoggedApi):
    """Two routes, reading and everything else: nobody gets in who is not known."""

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
        )
        self._add_routes(access, integrations.HttpLambdaIntegration("Answerer", answerer))

    def _add_routes(self, access: Api, integration: gateway.HttpRouteIntegration) -> None:
        authorizer: gateway.IHttpRouteAuthorizer = authorizers.HttpIamAuthorizer()
        if access.access == "jwt":
            authorizer = authorizers.HttpJwtAuthorizer(
                "Tokens", access.issuer, jwt_audience=list(access.audience)
            )
        routes = {
            gateway.HttpMethod.GET: access.read_scope,
            gateway.HttpMethod.ANY: access.write_scope,
        }
        for method, scope in routes.items():
            gateway.HttpRoute(
                self,
                "Read" if method == gateway.HttpMethod.GET else "Write",
                http_api=self.api,
                route_key=gateway.HttpRouteKey.with_(ANY_PATH, method),
                integration=integration,
                authorizer=authorizer,
                authorization_scopes=[scope] if access.access == "jwt" else None,
            )
