"""Image tasks behind their load balancer, as the origin of images."""

from collections.abc import Mapping, Sequence

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_elasticloadbalancingv2 as elbv2

from stacks.constructs.alarms import PERIOD
from stacks.constructs.dashboard import graph
from stacks.constructs.image_balancer import ImageBalancer
from stacks.constructs.image_service import ImageService
from stacks.constructs.image_task import ImageTask
from stacks.constructs.log_queries import FRONT_DOOR, GATEWAY
from stacks.constructs.service_alarms import (
    FIVE_MINUTES,
    MIN_REQUESTS,
    MINUTE,
    OriginAlarm,
    Threshold,
    share_of_errors,
)
from stacks.environments import Environment
from vitrine.settings.deliver import EDGE_SECONDS


class BalancedTasks:
    """See ImageOrigin."""

    def __init__(
        self,
        *,
        environment: Environment,
        balancer: ImageBalancer,
        tasks: elbv2.IApplicationTargetGroup,
        service: ImageService,
        task: ImageTask,
    ) -> None:
        self._environment = environment
        self._balancer = balancer
        self._tasks = tasks
        self._service = service
        self._task = task

    @property
    def forwarded_headers(self) -> Sequence[str]:
        """See ImageOrigin.

        From the Host, the gateway knows its own name if no domain name is configured. That is safe:
        CloudFront hands a distribution only requests for the distribution's own names.
        """
        return ("Host", "X-Viewer-Address", "X-Viewer-Signals")

    @property
    def log_names(self) -> Mapping[str, str]:
        """See ImageOrigin."""
        return {FRONT_DOOR: "nginxLog", GATEWAY: "gatewayLog"}

    @property
    def outputs(self) -> Mapping[str, str]:
        """See ImageOrigin."""
        return {
            "ClusterName": self._service.cluster.cluster_name,
            "ServiceName": self._service.service_name,
            "ListenerArn": self._balancer.images_listener.listener_arn,
            "TaskDefinitionArn": self._task.task_definition_arn,
        }

    def origin(self) -> cloudfront.IOrigin:
        """See ImageOrigin."""
        environment = self._environment
        by_tls = environment.balancer_certificate_arn is not None
        policy = cloudfront.OriginProtocolPolicy
        return origins.VpcOrigin.with_application_load_balancer(
            self._balancer,
            protocol_policy=policy.HTTPS_ONLY if by_tls else policy.HTTP_ONLY,
            # The name that the certificate has to be for, where no Host is forwarded; nobody looks
            # it up (CloudFront, "Require HTTPS for communication between CloudFront and your
            # custom origin").
            domain_name=environment.domain_name if by_tls else None,
            read_timeout=cdk.Duration.seconds(EDGE_SECONDS),
            keepalive_timeout=cdk.Duration.seconds(60),
            # One cache for the misses of all edge locations, before the gateway.
            origin_shield_region=environment.region if environment.origin_shield else None,
        )

    def alarms(self) -> Sequence[OriginAlarm]:
        """See ImageOrigin."""
        tasks, size = self._tasks.metrics, self._environment.image_task
        alarms = [
            self._errors(),
            OriginAlarm(
                "UnhealthyTasks",
                tasks.unhealthy_host_count(statistic="Maximum", period=MINUTE),
                Threshold(above=0, periods=5),
                "An image task has failed its health check for five minutes and was not replaced.",
                "too-few-image-tasks",
            ),
            OriginAlarm(
                "TooFewTasks",
                tasks.healthy_host_count(statistic="Minimum", period=MINUTE),
                Threshold(below=size.minimum, periods=5, missing="unwell"),
                f"For five minutes fewer than {size.minimum} image tasks have been healthy.",
                "too-few-image-tasks",
            ),
        ]
        if size.maximum > size.minimum:
            alarms.append(
                OriginAlarm(
                    "AtMaximum",
                    tasks.healthy_host_count(statistic="Maximum", period=MINUTE),
                    Threshold(above=size.maximum - 1, periods=15),
                    f"For 15 minutes all {size.maximum} image tasks have run: no more can be "
                    "added.",
                    "at-the-maximum-of-tasks",
                )
            )
        return alarms

    def _errors(self) -> OriginAlarm:
        balancer = self._balancer.metrics
        counts = {
            "requests": balancer.request_count(period=FIVE_MINUTES),
            "tasks": balancer.http_code_target(
                elbv2.HttpCodeTarget.TARGET_5XX_COUNT, period=FIVE_MINUTES
            ),
            "own": balancer.http_code_elb(elbv2.HttpCodeElb.ELB_5XX_COUNT, period=FIVE_MINUTES),
        }
        share = cloudwatch.MathExpression(
            expression=(
                f"IF(requests > {MIN_REQUESTS}, "
                "100 * (FILL(tasks, 0) + FILL(own, 0)) / requests, 0)"
            ),
            using_metrics=counts,
            period=FIVE_MINUTES,
            label="answers with 5xx, percent",
        )
        return share_of_errors("BalancerErrors", share)

    def widgets(self) -> list[cloudwatch.IWidget]:
        """See ImageOrigin."""
        balancer, tasks, service = self._balancer.metrics, self._tasks.metrics, self._service
        return [
            graph(
                "Origin: requests and errors",
                [balancer.request_count(period=PERIOD, label="requests")],
                [
                    balancer.http_code_target(
                        elbv2.HttpCodeTarget.TARGET_5XX_COUNT, period=PERIOD, label="5xx of tasks"
                    ),
                    balancer.http_code_elb(
                        elbv2.HttpCodeElb.ELB_5XX_COUNT, period=PERIOD, label="5xx of the balancer"
                    ),
                ],
            ),
            graph(
                "Origin: seconds to answer",
                [
                    balancer.target_response_time(statistic=name, period=PERIOD, label=name)
                    for name in ("p50", "p95", "p99")
                ],
            ),
            graph(
                "Image tasks, and their CPU",
                [
                    tasks.healthy_host_count(statistic="Minimum", period=PERIOD, label="healthy"),
                    tasks.unhealthy_host_count(
                        statistic="Maximum", period=PERIOD, label="unhealthy"
                    ),
                ],
                [
                    service.metric_cpu_utilization(
                        statistic="Average", period=PERIOD, label="CPU, percent"
                    ),
                    service.metric_memory_utilization(
                        statistic="Maximum", period=PERIOD, label="memory, percent"
                    ),
                ],
            ),
        ]
