"""The internal load balancer between CloudFront and the image tasks."""

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticloadbalancingv2 as elbv2
from constructs import Construct

from stacks.constructs.network import Network
from stacks.environments import Environment

PORT = 80
DRAIN_SECONDS = 60
"""Less than a container's stop timeout, so that no request is cut off."""
IDLE_SECONDS = 65
"""Less than nginx's keepalive, so that nginx never closes a connection first."""
IMAGE_PATHS = ["/iiif/*"]
HEALTH_PATH = "/healthz"


class ImageBalancer(elbv2.ApplicationLoadBalancer):
    """Balancer for CloudFront and image paths only: everything else gets 404 without a task."""

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, network: Network
    ) -> None:
        group = ec2.SecurityGroup(
            scope,
            "BalancerGroup",
            vpc=network.vpc,
            description="Internal load balancer of the image service",
            allow_all_outbound=False,
        )
        # The construct for VPC origins adds no rule, and without one every answer is 504.
        group.add_ingress_rule(
            ec2.Peer.prefix_list(environment.prefix_list_id), ec2.Port.tcp(PORT), "CloudFront"
        )
        super().__init__(
            scope,
            id_,
            vpc=network.vpc,
            vpc_subnets=ec2.SubnetSelection(subnets=network.subnets.subnets),
            internet_facing=False,
            security_group=group,
            idle_timeout=cdk.Duration.seconds(IDLE_SECONDS),
            drop_invalid_header_fields=True,
            deletion_protection=environment.deletion_protected,
        )
        self.group = group

    def send_images_to(self, target: elbv2.IApplicationLoadBalancerTarget, port: int) -> None:
        """Route image paths to the task of `target` that has the fewest open requests."""
        listener = self.add_listener(
            "Listener",
            port=PORT,
            protocol=elbv2.ApplicationProtocol.HTTP,
            open=False,
            default_action=elbv2.ListenerAction.fixed_response(404),
        )
        listener.add_targets(
            "Images",
            priority=1,
            conditions=[elbv2.ListenerCondition.path_patterns(IMAGE_PATHS)],
            targets=[target],
            port=port,
            protocol=elbv2.ApplicationProtocol.HTTP,
            deregistration_delay=cdk.Duration.seconds(DRAIN_SECONDS),
            load_balancing_algorithm_type=(
                elbv2.TargetGroupLoadBalancingAlgorithmType.LEAST_OUTSTANDING_REQUESTS
            ),
            health_check=elbv2.HealthCheck(
                path=HEALTH_PATH,
                interval=cdk.Duration.seconds(10),
                timeout=cdk.Duration.seconds(5),
                healthy_threshold_count=2,
                unhealthy_threshold_count=3,
            ),
        )
