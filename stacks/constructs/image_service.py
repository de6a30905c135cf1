"""The service that keeps enough image tasks running behind the internal load balancer."""

import aws_cdk as cdk
from aws_cdk import aws_applicationautoscaling as scaling
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_elasticloadbalancingv2 as elbv2
from constructs import Construct

from stacks.constructs.image_task import FRONT, ImageTask
from stacks.constructs.network import Network
from stacks.environments import Environment
from stacks.sizes import ImageTaskSize

TARGET_CPU_PERCENT = 60
METRIC_SECONDS = 20
SCALE_OUT_SECONDS = 30
SCALE_IN_SECONDS = 300


class ImageService(ecs.FargateService):
    """It rolls back a deployment that does not start, and scales on CPU of twenty seconds."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        network: Network,
        task: ImageTask,
        group: ec2.ISecurityGroup,
    ) -> None:
        size = environment.image_task
        cluster = ecs.Cluster(
            scope,
            "Cluster",
            vpc=network.vpc,
            enable_fargate_capacity_providers=size.spot_share_percent > 0,
            container_insights_v2=ecs.ContainerInsights.DISABLED,
        )
        super().__init__(
            scope,
            id_,
            cluster=cluster,
            task_definition=task,
            # No desired count: a deployment would reset the autoscaled number to it.
            capacity_provider_strategies=_capacity(size),
            circuit_breaker=ecs.DeploymentCircuitBreaker(enable=True, rollback=True),
            min_healthy_percent=100,
            max_healthy_percent=200,
            availability_zone_rebalancing=ecs.AvailabilityZoneRebalancing.ENABLED,
            assign_public_ip=False,
            vpc_subnets=ec2.SubnetSelection(subnets=network.subnets.subnets),
            security_groups=[group],
            health_check_grace_period=cdk.Duration.seconds(60),
            platform_version=ecs.FargatePlatformVersion.LATEST,
            # Without this, cost allocation tags miss the largest cost.
            propagate_tags=ecs.PropagatedTagSource.SERVICE,
            enable_ecs_managed_tags=True,
        )
        # Without it, the cluster's capacity providers could come after the service that uses them,
        # and go before it: AWS refuses both.
        self.node.add_dependency(cluster, *network.ready)
        self._scale(size)

    def front(self) -> elbv2.IApplicationLoadBalancerTarget:
        """Return the port that the load balancer sends requests to."""
        return self.load_balancer_target(container_name=FRONT)

    def _scale(self, size: ImageTaskSize) -> None:
        service = self.node.default_child
        assert isinstance(service, ecs.CfnService)
        service.monitoring = ecs.CfnService.MonitoringConfigurationProperty(
            metric_configurations=[
                ecs.CfnService.MetricConfigurationProperty(
                    metric_names=["CPUUtilization"], resolution_seconds=METRIC_SECONDS
                )
            ]
        )
        # The CDK's own target tracking does not know the twenty-second metric.
        target = self.auto_scale_task_count(min_capacity=size.minimum, max_capacity=size.maximum)
        scaling.CfnScalingPolicy(
            self,
            "CpuScaling",
            policy_name=f"{self.node.id}-cpu",
            policy_type="TargetTrackingScaling",
            scaling_target_id=_scalable_target(target),
            target_tracking_scaling_policy_configuration=_cpu_tracking(),
        )


def _scalable_target(count: ecs.ScalableTaskCount) -> str:
    target = count.node.find_child("Target")
    assert isinstance(target, scaling.ScalableTarget)
    return target.scalable_target_id


def _cpu_tracking() -> scaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty:
    policy = scaling.CfnScalingPolicy
    return policy.TargetTrackingScalingPolicyConfigurationProperty(
        target_value=TARGET_CPU_PERCENT,
        scale_out_cooldown=SCALE_OUT_SECONDS,
        scale_in_cooldown=SCALE_IN_SECONDS,
        predefined_metric_specification=policy.PredefinedMetricSpecificationProperty(
            predefined_metric_type="ECSServiceAverageCPUUtilizationHighResolution"
        ),
    )


def _capacity(size: ImageTaskSize) -> list[ecs.CapacityProviderStrategy] | None:
    """Return on-demand up to the minimum and a share of Spot beyond; None: on-demand only."""
    share = size.spot_share_percent
    if not share:
        return None
    steady = ecs.CapacityProviderStrategy(
        capacity_provider="FARGATE", base=size.minimum, weight=100 - share
    )
    spot = ecs.CapacityProviderStrategy(capacity_provider="FARGATE_SPOT", weight=share)
    return [steady, spot]
