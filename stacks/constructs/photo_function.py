"""The photo door as a Lambda, behind an HTTP API of its own."""

from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_apigatewayv2_integrations as integrations
from constructs import Construct

from stacks.constructs.http_door import TIMEOUT_SECONDS, LoggedApi
from stacks.constructs.lambda_layers import DoorLayer, LibvipsLayer, PowertoolsLayer
from stacks.constructs.photo_faults import ANSWERED_BY_FUNCTION, QUARTER_HOUR, PhotoFaults
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.environments import Environment
from stacks.sizes import PhotoFunctionSize
from stacks.stage import let_go
from vitrine.edge.policies import PHOTOS_PATTERN
from vitrine.settings.photos import PhotoSettings

PHOTO_ANSWERER = "answer_photo"
DECODING = {
    # numpy's threads for linear algebra would only wait.
    "OPENBLAS_NUM_THREADS": "1",
    "VIPS_CONCURRENCY": "1",
    # As containers/photos/start has it. A photograph's memory is used again for the next: of 4 MB,
    # one takes 54 CPU milliseconds and not 57 (docs/adr/0031).
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "67108864",
    "MALLOC_TRIM_THRESHOLD_": "67108864",
}
"""Variables of libraries, which read them when the process starts."""
REQUESTS_PER_SECOND = 50
BURST = 20
"""Requests at a moment, without a reservation; with one, as many as the function answers at once:
more would be let in, and turned away by Lambda."""


class PhotoFunction(LoggedApi):
    """One route, which asks for no signature: the door itself verifies the signed form.

    No function URL: with origin access control every sender would have to send the SHA-256 of the
    body, which a page's form cannot, and without it everybody may invoke the function unthrottled
    (docs/adr/0031).
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        size: PhotoFunctionSize,
        settings: PhotoSettings,
    ) -> None:
        super().__init__(
            scope,
            id_,
            environment=environment,
            name=f"vitrine-{environment.name}-photos",
            description=f"The photo door of {environment.name}",
            requests_per_second=REQUESTS_PER_SECOND,
            burst=size.at_once or BURST,
        )
        let_go(self.api)
        architecture = environment.architecture
        self.function = PythonFunction(
            self,
            PHOTO_ANSWERER,
            environment=environment,
            settings=settings,
            layers=[
                PowertoolsLayer(self, "Powertools", architecture=architecture),
                LibvipsLayer(self, "Libvips", architecture=architecture),
                DoorLayer(self, "Forms", architecture=architecture),
            ],
            size=FunctionSize(
                memory_mebibytes=size.memory_mebibytes,
                timeout_seconds=TIMEOUT_SECONDS,
                at_once=size.at_once,
            ),
        )
        for name, value in DECODING.items():
            self.function.add_environment(name, value)
        self.faults = PhotoFaults(
            self,
            "Faults",
            environment=environment,
            log=self.function.log_group,
            pattern=ANSWERED_BY_FUNCTION,
            # Whatever raises, takes too long or is killed answers nothing that could be logged.
            others=[self.function.metric_errors(period=QUARTER_HOUR, statistic="Sum")],
        )
        gateway.HttpRoute(
            self,
            "Photos",
            http_api=self.api,
            route_key=gateway.HttpRouteKey.with_(PHOTOS_PATTERN, gateway.HttpMethod.ANY),
            integration=integrations.HttpLambdaIntegration("Answerer", self.function),
            authorizer=gateway.HttpNoneAuthorizer(),
        )
