"""The task that converts what no Lambda can hold: one container that ends with its master."""

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from constructs import Construct

from stacks.constructs.asset_contents import PRUNING, SERVICE, requirements, step_code
from stacks.constructs.confined_process import confined_process
from stacks.constructs.container_image import ARCHITECTURES, container_image
from stacks.constructs.kept_log import KeptLog
from stacks.constructs.network import Network
from stacks.constructs.python_function import powertools
from stacks.constructs.service_roles import task_roles
from stacks.environments import Environment
from stacks.sizes import GiantConverter
from vitrine.settings.ingest import IngestSettings

CONTAINER = "converter"
STEP = "convert_master"
NO_ALGEBRA_THREADS = {"OPENBLAS_NUM_THREADS": "1"}
"""Environment that keeps OpenBLAS, where numpy has it, as on one machine, to one thread: more burn
a core while they wait for linear algebra, which we have none of: 8 % of a conversion of 100
megapixels."""
COMMAND = ["python3", "-m", f"lambdas.{STEP}.task"]
CONTEXT = (*SERVICE, *step_code(STEP), *requirements(CONTAINER), *PRUNING)
SCRATCH_VOLUME, SCRATCH_PATH = "scratch", "/var/vitrine"
USER = "10001:10001"


class ConverterTask(ecs.FargateTaskDefinition):
    """It runs in `cluster`, `subnets` and `group`, when a state machine starts it."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        size: GiantConverter,
        settings: IngestSettings,
        network: Network,
    ) -> None:
        super().__init__(
            scope,
            id_,
            cpu=size.cpu_units,
            memory_limit_mib=size.memory_mebibytes,
            ephemeral_storage_gib=size.disk_gibibytes,
            runtime_platform=ecs.RuntimePlatform(
                cpu_architecture=ARCHITECTURES[environment.architecture],
                operating_system_family=ecs.OperatingSystemFamily.LINUX,
            ),
            volumes=[ecs.Volume(name=SCRATCH_VOLUME)],
            **task_roles(scope, id_),
        )
        self.subnets = network.subnets.subnet_ids
        self.group = ec2.SecurityGroup(
            self, "Group", vpc=network.vpc, description="Giants", allow_all_outbound=True
        )
        network.admit(self.group)
        self.cluster = ecs.Cluster(
            self,
            "Cluster",
            vpc=network.vpc,
            container_insights_v2=ecs.ContainerInsights.DISABLED,
        )
        self.cluster.node.add_dependency(*network.ready)
        self._add_converter(environment, settings)

    def _add_converter(self, environment: Environment, settings: IngestSettings) -> None:
        container = self.add_container(
            CONTAINER,
            image=container_image(self, CONTAINER, environment, CONTEXT),
            command=COMMAND,
            environment=settings.to_environment()
            | powertools(STEP, environment)
            | NO_ALGEBRA_THREADS
            # The root file system is read-only; masters are downloaded to the volume.
            | {"TMPDIR": SCRATCH_PATH},
            user=USER,
            essential=True,
            readonly_root_filesystem=True,
            linux_parameters=confined_process(self, "Linux"),
            logging=ecs.LogDriver.aws_logs(
                stream_prefix=CONTAINER,
                log_group=KeptLog(self, "Log", environment=environment),
                mode=ecs.AwsLogDriverMode.NON_BLOCKING,
            ),
        )
        container.add_mount_points(
            ecs.MountPoint(
                container_path=SCRATCH_PATH, source_volume=SCRATCH_VOLUME, read_only=False
            )
        )
