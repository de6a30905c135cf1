"""The Lambda that serves images: gateway and iipsrv in one container image, behind its own URL."""

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.constructs.alarms import PERIOD
from stacks.constructs.asset_contents import PRUNING, SERVICE, image_contents, requirements
from stacks.constructs.container_image import PLATFORMS
from stacks.constructs.dashboard import graph
from stacks.constructs.kept_log import KeptLog
from stacks.constructs.lambda_layers import ARCHITECTURES
from stacks.constructs.log_queries import FRONT_DOOR, GATEWAY
from stacks.constructs.service_alarms import (
    FIVE_MINUTES,
    MIN_REQUESTS,
    OriginAlarm,
    Threshold,
    share_of_errors,
)
from stacks.container_bases import ContainerBases
from stacks.environments import Environment
from stacks.sizes import ImageFunctionSize
from stacks.stage import REPOSITORY
from vitrine.settings.deliver import DeliverSettings

CONTAINER = "function"
COMMAND = [f"containers/{CONTAINER}/start"]
CONTEXT = ("!/containers/iipsrv", *SERVICE, *requirements("gateway"), *PRUNING)
"""Files from which its image is made, next to its own folder."""
WORK_DIRECTORY = "/tmp/vitrine"
"""Nothing but /tmp can be written to."""
TIMEOUT_SECONDS = 90
"""Longer than the gateway makes an answer, also if the process has to start first."""
READ_SECONDS = 100
"""Longer than that, so that Lambda's error arrives instead of CloudFront's."""
THROTTLED = 20
"""Requests in five minutes; the first of them may be a viewer that asks for too much at once."""


class ImageFunction(lambda_.DockerImageFunction):
    """See ImageOrigin. It is in no VPC: it needs no way to anything but AWS."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        size: ImageFunctionSize,
        settings: DeliverSettings,
    ) -> None:
        log = KeptLog(scope, f"{id_}Log", environment=environment)
        role = iam.Role(
            scope, f"{id_}Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
        )
        log.grant_write(role)
        super().__init__(
            scope,
            id_,
            code=lambda_.DockerImageCode.from_image_asset(
                str(REPOSITORY),
                file=f"containers/{CONTAINER}/Dockerfile",
                build_args=ContainerBases.read().build_arguments() or None,
                platform=PLATFORMS[environment.architecture],
                ignore_mode=cdk.IgnoreMode.GIT,
                exclude=image_contents(CONTAINER, CONTEXT),
                cmd=COMMAND,
            ),
            architecture=ARCHITECTURES[environment.architecture],
            role=role,
            log_group=log,
            memory_size=size.memory_mebibytes,
            ephemeral_storage_size=cdk.Size.mebibytes(size.disk_mebibytes),
            timeout=cdk.Duration.seconds(TIMEOUT_SECONDS),
            reserved_concurrent_executions=size.at_once,
            tracing=lambda_.Tracing.ACTIVE,
            environment=settings.to_environment(),
        )
        self._size = size
        self._url = self.add_function_url(
            auth_type=lambda_.FunctionUrlAuthType.AWS_IAM,
            invoke_mode=lambda_.InvokeMode.RESPONSE_STREAM,
        )

    @property
    def forwarded_headers(self) -> Sequence[str]:
        """See ImageOrigin. The Host must be the function's own, which the signature covers."""
        return ("X-Viewer-Address", "X-Viewer-Signals", "X-Public-Base", "X-Request-Uri")

    @property
    def log_names(self) -> Mapping[str, str]:
        """See ImageOrigin."""
        name = f"{self.node.id}Log"
        return {FRONT_DOOR: name, GATEWAY: name}

    @property
    def outputs(self) -> Mapping[str, str]:
        """See ImageOrigin."""
        return {"ImageFunctionName": self.function_name, "ImageFunctionUrl": self._url.url}

    def origin(self) -> cloudfront.IOrigin:
        """See ImageOrigin. It lets the distribution, and nobody else, invoke the function."""
        return origins.FunctionUrlOrigin.with_origin_access_control(
            self._url, read_timeout=cdk.Duration.seconds(READ_SECONDS)
        )

    def alarms(self) -> Sequence[OriginAlarm]:
        """See ImageOrigin."""
        failed = self._url_metric("Url5xxCount", "failed")
        share = cloudwatch.MathExpression(
            expression=f"IF(requests > {MIN_REQUESTS}, 100 * FILL(failed, 0) / requests, 0)",
            using_metrics={
                "requests": self._url_metric("UrlRequestCount", "requests"),
                "failed": failed,
            },
            period=FIVE_MINUTES,
            label="answers with 5xx, percent",
        )
        return [
            share_of_errors("FunctionErrors", share),
            OriginAlarm(
                "FunctionThrottled",
                self.metric_throttles(period=FIVE_MINUTES),
                Threshold(above=THROTTLED),
                f"More than {THROTTLED} requests for images found no free Lambda: viewers have "
                "holes in their images.",
                "requests-are-throttled",
            ),
        ]

    def widgets(self) -> list[cloudwatch.IWidget]:
        """See ImageOrigin."""
        running = self.metric(
            "ConcurrentExecutions", statistic="Maximum", period=PERIOD, label="at once"
        )
        return [
            graph(
                "Origin: requests and errors",
                [self._url_metric("UrlRequestCount", "requests", PERIOD)],
                [self._url_metric("Url5xxCount", "5xx", PERIOD)],
            ),
            graph(
                "Origin: milliseconds to answer",
                [
                    self.metric_duration(statistic=name, period=PERIOD, label=name)
                    for name in ("p50", "p95", "p99")
                ],
            ),
            graph(
                "Lambdas at work, and requests that found none",
                [running],
                [self.metric_throttles(period=PERIOD, label="throttled")],
            ),
        ]

    def _url_metric(
        self, name: str, label: str, period: cdk.Duration = FIVE_MINUTES
    ) -> cloudwatch.Metric:
        return self.metric(name, statistic="Sum", period=period, label=label)
