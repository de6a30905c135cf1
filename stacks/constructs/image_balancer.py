"""The internal load balancer between CloudFront and the image tasks."""

from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticloadbalancingv2 as elbv2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk.region_info import RegionInfo
from constructs import Construct

from stacks.constructs.network import Network
from stacks.environments import Environment
from stacks.stage import let_go
from vitrine.edge.missing_page import CONTENT_TYPE, MISSING_PAGE
from vitrine.edge.policies import origin_patterns
from vitrine.settings.deliver import BALANCER_SECONDS

PORT, TLS_PORT = 80, 443
DRAIN_SECONDS = 60
"""Less than a container's stop timeout, so that no request is cut off."""
HEALTH_PATH = "/healthz"
ACCESS_LOGS = "balancer"
"""Prefix of their keys in the bucket of access logs."""


class ImageBalancer(elbv2.ApplicationLoadBalancer):
    """Balancer for CloudFront and the paths that it sends here: all else gets 404 without a task.

    `logs` keeps a line about each request: also of those that no task answered.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        network: Network,
        logs: s3.Bucket,
    ) -> None:
        self._certificate = environment.balancer_certificate_arn
        self._port = TLS_PORT if self._certificate else PORT
        # A group of its own for each port: the prefix list counts as 55 of the 60 rules that a
        # group may have, so no group can change from one port to the other.
        group = ec2.SecurityGroup(
            scope,
            "BalancerGroupForTls" if self._certificate else "BalancerGroup",
            vpc=network.vpc,
            description="Internal load balancer of the image service",
            allow_all_outbound=False,
        )
        # The construct for VPC origins adds no rule, and without one every answer is 504.
        group.add_ingress_rule(
            ec2.Peer.prefix_list(environment.prefix_list_id), ec2.Port.tcp(self._port), "CloudFront"
        )
        super().__init__(
            scope,
            id_,
            vpc=network.vpc,
            vpc_subnets=ec2.SubnetSelection(subnets=network.subnets.subnets),
            internet_facing=False,
            security_group=group,
            idle_timeout=cdk.Duration.seconds(BALANCER_SECONDS),
            drop_invalid_header_fields=True,
            deletion_protection=environment.deletion_protected,
        )
        # With a certificate, the edge no longer reads its name.
        let_go(self)
        self._keep_logs(logs)
        self.group = group
        self._with_photos = environment.photo_task is not None

    def _keep_logs(self, logs: s3.Bucket) -> None:
        """Write access logs to `logs`, whose stack comes before this one with the permission.

        The CDK's own method would also let deliveries of every account in, which network load
        balancers need.
        """
        self.set_attribute("access_logs.s3.enabled", "true")
        self.set_attribute("access_logs.s3.bucket", logs.bucket_name)
        self.set_attribute("access_logs.s3.prefix", ACCESS_LOGS)
        stack = cdk.Stack.of(self)
        known = RegionInfo.get(stack.region).elbv2_account
        logs.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["s3:PutObject"],
                # Regions opened since August 2022 have a service instead of an account.
                principals=[
                    iam.AccountPrincipal(known)
                    if known
                    else iam.ServicePrincipal("logdelivery.elasticloadbalancing.amazonaws.com")
                ],
                resources=[logs.arn_for_objects(f"{ACCESS_LOGS}/AWSLogs/{stack.account}/*")],
            )
        )

    def _tls(self) -> dict[str, Any]:
        """Return the options of a listener that CloudFront speaks TLS to, or plain HTTP."""
        if not self._certificate:
            return {"protocol": elbv2.ApplicationProtocol.HTTP}
        return {
            "protocol": elbv2.ApplicationProtocol.HTTPS,
            "certificates": [elbv2.ListenerCertificate.from_arn(self._certificate)],
            # AES-GCM alone, and keys that a later quantum computer does not find out (2025).
            "ssl_policy": elbv2.SslPolicy.TLS13_12_RES_PQ,
        }

    def send_images_to(self, target: elbv2.IApplicationLoadBalancerTarget, port: int) -> None:
        """Route what behaviors of the edge take from here to the least busy task of `target`."""
        # A rule has at most five values (Elastic Load Balancing, "Quotas").
        paths = origin_patterns(with_photos=self._with_photos)
        self.images_listener = self.add_listener(
            "Listener",
            port=self._port,
            open=False,
            **self._tls(),
            default_action=elbv2.ListenerAction.fixed_response(
                404, content_type=CONTENT_TYPE, message_body=MISSING_PAGE
            ),
        )
        # Metrics take a part of this ARN, by Fn::Split, which takes no Fn::GetStackOutput.
        cdk.CrossStackReferences.of(self.images_listener).produce(cdk.ReferenceStrength.STRONG)
        self.images_listener.add_targets(
            "Images",
            priority=1,
            conditions=[elbv2.ListenerCondition.path_patterns(paths)],
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
