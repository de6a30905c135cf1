"""The endpoint for programs that speak MCP: a Lambda behind an HTTP API of its own."""

from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_apigatewayv2_integrations as integrations
from constructs import Construct

from stacks.constructs.http_door import TIMEOUT_SECONDS, LoggedApi
from stacks.constructs.lambda_layers import McpLayer, PowertoolsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.environments import Environment
from stacks.stage import let_go
from vitrine.edge.policies import MCP_PATTERN
from vitrine.settings.edge import McpSettings

MCP_ANSWERER = "answer_mcp"
MEMORY_MEBIBYTES = 1_024
"""It needs 80; with less of a CPU, a start would take longer than a second and a half."""
REQUESTS_PER_SECOND, BURST = 10, 20
"""For all programs together, so that a million calls a day are the most that anybody can cause."""


class McpFunction(LoggedApi):
    """One route, without an authorizer: its tools read what anybody may, by public addresses.

    No function URL, as for photographs: with origin access control every program would have to send
    the SHA-256 of its message (docs/adr/0031). The role has no right but to write its log.
    """

    def __init__(self, scope: Construct, id_: str, *, environment: Environment) -> None:
        super().__init__(
            scope,
            id_,
            environment=environment,
            name=f"vitrine-{environment.name}-mcp",
            description=f"Model Context Protocol of {environment.name}",
            requests_per_second=REQUESTS_PER_SECOND,
            burst=BURST,
        )
        let_go(self.api)
        architecture = environment.architecture
        self.function = PythonFunction(
            self,
            MCP_ANSWERER,
            environment=environment,
            settings=McpSettings(public_base_url=environment.public_base_url),
            layers=[
                PowertoolsLayer(self, "Powertools", architecture=architecture),
                McpLayer(self, "Sdk", architecture=architecture),
            ],
            size=FunctionSize(memory_mebibytes=MEMORY_MEBIBYTES, timeout_seconds=TIMEOUT_SECONDS),
        )
        gateway.HttpRoute(
            self,
            "Messages",
            http_api=self.api,
            route_key=gateway.HttpRouteKey.with_(MCP_PATTERN, gateway.HttpMethod.POST),
            integration=integrations.HttpLambdaIntegration("Answerer", self.function),
            authorizer=gateway.HttpNoneAuthorizer(),
        )
