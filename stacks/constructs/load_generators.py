"""Tasks that send requests like a crowd: a master starts workers and adds up their results."""

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from constructs import Construct

from stacks.constructs.asset_contents import LOAD_TEST, requirements
from stacks.constructs.confined_process import confined_process
from stacks.constructs.container_image import ARCHITECTURES, container_image
from stacks.constructs.kept_log import KeptLog
from stacks.constructs.service_roles import task_roles
from stacks.environments import Environment

CONTAINER = "loadtest"
CONTEXT = (*LOAD_TEST, *requirements(CONTAINER))
CHANNEL = 5557
"""Port at which the master listens for workers (Locust's --master-port)."""
CIDR = "10.43.0.0/24"
CPU_UNITS, MEMORY_MEBIBYTES = 1024, 2048
"""One Locust process keeps one core busy."""
STOP_SECONDS = 120
SCRATCH_VOLUME, SCRATCH_PATH = "scratch", "/var/vitrine"
USER = "10001:10001"


class LoadGenerators(Construct):
    """A run starts its tasks with `cluster`, `task`, `group`, `subnet_ids` and `log`.

    The tasks reach the service at its public address, as viewers do, from a network of their own
    that admits no connection from outside.
    """

    def __init__(self, scope: Construct, id_: str, *, environment: Environment) -> None:
        super().__init__(scope, id_)
        vpc = self._network(environment)
        self.subnet_ids = [subnet.subnet_id for subnet in vpc.public_subnets]
        self.group = ec2.SecurityGroup(
            self, "Group", vpc=vpc, description="Load generators", allow_all_outbound=True
        )
        self.group.add_ingress_rule(self.group, ec2.Port.tcp(CHANNEL), "Workers to their master")
        self.cluster = ecs.Cluster(
            self, "Cluster", vpc=vpc, container_insights_v2=ecs.ContainerInsights.DISABLED
        )
        self.log = KeptLog(self, "Log", environment=environment)
        self.task = self._task(environment)

    def _network(self, environment: Environment) -> ec2.Vpc:
        vpc = ec2.Vpc(
            self,
            "Vpc",
            ip_addresses=ec2.IpAddresses.cidr(CIDR),
            availability_zones=list(environment.availability_zones),
            nat_gateways=0,
            subnet_configuration=[
                ec2.SubnetConfiguration(
                    name="Generators",
                    subnet_type=ec2.SubnetType.PUBLIC,
                    cidr_mask=26,
                    # A task gets its public address when it is started; nothing else has one.
                    map_public_ip_on_launch=False,
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

    def _task(self, environment: Environment) -> ecs.FargateTaskDefinition:
        task = ecs.FargateTaskDefinition(
            self,
            "Task",
            cpu=CPU_UNITS,
            memory_limit_mib=MEMORY_MEBIBYTES,
            **task_roles(self, "Task"),
            runtime_platform=ecs.RuntimePlatform(
                cpu_architecture=ARCHITECTURES[environment.architecture],
                operating_system_family=ecs.OperatingSystemFamily.LINUX,
            ),
            volumes=[ecs.Volume(name=SCRATCH_VOLUME)],
        )
        container = task.add_container(
            CONTAINER,
            image=container_image(self, CONTAINER, environment, CONTEXT),
            user=USER,
            essential=True,
            readonly_root_filesystem=True,
            stop_timeout=cdk.Duration.seconds(STOP_SECONDS),
            linux_parameters=confined_process(self, "Linux"),
            logging=ecs.LogDriver.aws_logs(
                stream_prefix=CONTAINER,
                log_group=self.log,
                mode=ecs.AwsLogDriverMode.NON_BLOCKING,
            ),
        )
        container.add_ulimits(
            ecs.Ulimit(name=ecs.UlimitName.NOFILE, soft_limit=65_535, hard_limit=65_535)
        )
        container.add_mount_points(
            ecs.MountPoint(
                container_path=SCRATCH_PATH, source_volume=SCRATCH_VOLUME, read_only=False
            )
        )
        return task
