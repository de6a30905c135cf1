"""The network of our tasks: subnets whose only way out leads to the services they need."""

from collections.abc import Sequence
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.environment_values import ExistingVpc
from stacks.environments import Environment

INTERFACES = {
    "EcrApi": ec2.InterfaceVpcEndpointAwsService.ECR,
    "EcrDocker": ec2.InterfaceVpcEndpointAwsService.ECR_DOCKER,
    "Logs": ec2.InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
}
PULLING = ("ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer")
LOGGING = ("logs:CreateLogStream", "logs:PutLogEvents")
FLOW_LOGS = "network"
"""Prefix of their keys in the bucket of access logs."""
READING = ("s3:GetObject", "s3:GetObjectVersion", "s3:GetObjectTagging", "s3:ListBucket")
WRITING = ("s3:PutObject", "s3:AbortMultipartUpload")
LAYERS = "arn:aws:s3:::prod-{region}-starport-layer-bucket/*"
"""Bucket in which ECR keeps the layers of images (ECR, "Amazon ECR interface VPC endpoints")."""


@dataclass(frozen=True)
class ReachableServices:
    """What the network leads to, anyone who asks: other buckets and tables are out of reach."""

    read: Sequence[s3.IBucket]
    written: Sequence[s3.IBucket]
    table: dynamodb.ITableV2
    counters: dynamodb.ITable | None = None


class Network(Construct):
    """`vpc` and `subnets`: the environment's own VPC, or an existing one, left as it is.

    `logs` keeps what the network rejected. `ready` is what must exist before a task can start or
    CloudFront can reach one.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        logs: s3.IBucket,
        reached: ReachableServices,
    ) -> None:
        super().__init__(scope, id_)
        self._environment = environment
        self._reached = reached
        self.ready: list[Construct] = []
        self._endpoint_group: ec2.SecurityGroup | None = None
        if environment.vpc:
            self.vpc = self._existing(environment.vpc)
        else:
            self.vpc = self._isolated()
            self._log_rejects(self.vpc, logs)
            self._attach_internet_gateway()
            self._add_endpoints()
        self.subnets = self.vpc.select_subnets(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)

    def admit(self, group: ec2.ISecurityGroup) -> None:
        """Let members of `group` reach our interface endpoints."""
        if self._endpoint_group:
            # Remote: the rule belongs to the stack of `group`, which comes after this one.
            self._endpoint_group.add_ingress_rule(
                group, ec2.Port.tcp(443), "Tasks of ours", remote_rule=True
            )

    def _existing(self, existing: ExistingVpc) -> ec2.IVpc:
        return ec2.Vpc.from_vpc_attributes(
            self,
            "Existing",
            vpc_id=existing.vpc_id,
            vpc_cidr_block=existing.cidr,
            availability_zones=list(self._environment.availability_zones),
            isolated_subnet_ids=list(existing.subnet_ids),
        )

    def _isolated(self) -> ec2.Vpc:
        vpc = ec2.Vpc(
            self,
            "Vpc",
            ip_addresses=ec2.IpAddresses.cidr(self._environment.vpc_cidr),
            availability_zones=list(self._environment.availability_zones),
            nat_gateways=0,
            subnet_configuration=[
                ec2.SubnetConfiguration(
                    name="Images", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=20
                )
            ],
        )
        cdk.Validations.of(vpc).acknowledge(
            cdk.Acknowledgment(
                id="CloudFormation-Validate::W3010",
                reason="Zones are written out, so that no synth looks anything up.",
            )
        )
        return vpc

    def _log_rejects(self, vpc: ec2.Vpc, logs: s3.IBucket) -> None:
        """Log connections that no security group admits; a healthy service has no such thing."""
        vpc.add_flow_log(
            "Rejects",
            destination=ec2.FlowLogDestination.to_s3(logs, FLOW_LOGS),
            traffic_type=ec2.FlowLogTrafficType.REJECT,
        )

    def _attach_internet_gateway(self) -> None:
        """Attach an Internet gateway, which CloudFront VPC origins demand; no route leads to it."""
        gateway = ec2.CfnInternetGateway(self, "InternetGateway")
        self.ready.append(
            ec2.CfnVPCGatewayAttachment(
                self,
                "InternetGatewayAttachment",
                vpc_id=self.vpc.vpc_id,
                internet_gateway_id=gateway.attr_internet_gateway_id,
            )
        )

    def _add_endpoints(self) -> None:
        assert isinstance(self.vpc, ec2.Vpc)
        storage = self.vpc.add_gateway_endpoint("S3", service=ec2.GatewayVpcEndpointAwsService.S3)
        self._restrict_storage(storage)
        table = self.vpc.add_gateway_endpoint(
            "DynamoDb", service=ec2.GatewayVpcEndpointAwsService.DYNAMODB
        )
        table.add_to_policy(
            _ours(["dynamodb:GetItem", "dynamodb:BatchGetItem"], [self._reached.table.table_arn])
        )
        if self._reached.counters:
            table.add_to_policy(_ours(["dynamodb:UpdateItem"], [self._reached.counters.table_arn]))
        self.ready += [storage, table]
        self._endpoint_group = ec2.SecurityGroup(
            self,
            "Endpoints",
            vpc=self.vpc,
            description="Interface endpoints of our tasks",
            allow_all_outbound=False,
        )
        zones = list(self._environment.availability_zones[: self._environment.endpoint_zones])
        for name, interface in INTERFACES.items():
            endpoint = self.vpc.add_interface_endpoint(
                name,
                service=interface,
                open=False,
                security_groups=[self._endpoint_group],
                subnets=ec2.SubnetSelection(availability_zones=zones),
            )
            for statement in self._started_with(name):
                endpoint.add_to_policy(statement)
            self.ready.append(endpoint)

    def _started_with(self, endpoint: str) -> list[iam.PolicyStatement]:
        """Return what an interface endpoint lets through: what ECS does to start and log a task."""
        place = f"{self._environment.region}:{cdk.Aws.ACCOUNT_ID}"
        if endpoint == "Logs":
            return [_ours(LOGGING, [f"arn:aws:logs:{place}:log-group:*"])]
        return [
            _ours(PULLING, [f"arn:aws:ecr:{place}:repository/*"]),
            _ours(["ecr:GetAuthorizationToken"], ["*"]),
        ]

    def _restrict_storage(self, endpoint: ec2.GatewayVpcEndpoint) -> None:
        """Lead to our buckets and to the layers of our images, so that nothing leaks elsewhere."""
        for actions, buckets in (
            (READING, self._reached.read),
            (WRITING, self._reached.written),
        ):
            resources = [
                arn
                for bucket in buckets
                for arn in (bucket.bucket_arn, bucket.arn_for_objects("*"))
            ]
            endpoint.add_to_policy(_ours(actions, resources))
        # Signed by ECR's account, not by ours.
        endpoint.add_to_policy(
            iam.PolicyStatement(
                principals=[iam.AnyPrincipal()],
                actions=["s3:GetObject"],
                resources=[LAYERS.format(region=self._environment.region)],
            )
        )


def _ours(actions: Sequence[str], resources: Sequence[str]) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        principals=[iam.AnyPrincipal()],
        actions=list(actions),
        resources=list(resources),
        conditions={"StringEquals": {"aws:PrincipalAccount": cdk.Aws.ACCOUNT_ID}},
    )
