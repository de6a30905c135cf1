"""The Lambda that lets people in to restricted images, behind its own URL."""

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.constructs.lambda_layers import AuthorizationLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.environments import Environment
from stacks.stage import let_go
from vitrine.settings.edge import AuthorizationSettings

AUTHORIZER = "authorize_visitor"
TIMEOUT_SECONDS = 25
"""A provider is asked three times at most, and waited for eight seconds each."""
READ_SECONDS = 30
"""Longer than that, so that Lambda's error arrives instead of CloudFront's."""


class AuthorizationFunction(PythonFunction):
    """A function URL that only the distribution may invoke: an address of a viewer is the one that
    the edge saw, and nobody can come past it to claim another."""

    def __init__(
        self, scope: Construct, *, environment: Environment, settings: AuthorizationSettings
    ) -> None:
        architecture = environment.architecture
        super().__init__(
            scope,
            AUTHORIZER,
            environment=environment,
            settings=settings,
            layers=[
                PowertoolsLayer(scope, "AuthorizationPowertools", architecture=architecture),
                AuthorizationLayer(scope, "AuthorizationLibraries", architecture=architecture),
            ],
            size=FunctionSize(timeout_seconds=TIMEOUT_SECONDS, at_once=environment.admit_at_once),
        )
        self.url = self.add_function_url(auth_type=lambda_.FunctionUrlAuthType.AWS_IAM)
        let_go(self, self.url)

    def origin(self) -> cloudfront.IOrigin:
        """Return it as an origin, which lets the distribution, and nobody else, invoke it."""
        return origins.FunctionUrlOrigin.with_origin_access_control(
            self.url, read_timeout=cdk.Duration.seconds(READ_SECONDS)
        )
