"""The task that serves images: nginx, gateway and iipsrv around one volume."""

import aws_cdk as cdk
from aws_cdk import aws_ecs as ecs
from constructs import Construct

from stacks.constructs.asset_contents import PRUNING, SERVICE, requirements
from stacks.constructs.confined_process import confined_process
from stacks.constructs.container_image import ARCHITECTURES, container_image
from stacks.constructs.kept_log import KeptLog
from stacks.constructs.service_roles import task_roles
from stacks.environments import Environment
from vitrine.settings.deliver import DeliverSettings
from vitrine.settings.photos import PhotoSettings

CONTAINERS = ("iipsrv", "gateway", "nginx")
"""In the order in which they start; ECS stops them in the reverse order."""
FRONT = "nginx"
PHOTOS = "photos"
"""The photo door, where the environment has one: the gateway's image with another command."""
IMAGES = {PHOTOS: "gateway"}
"""The folder of a container's image, where it is not its own."""
CONTEXT = {"gateway": (*SERVICE, *requirements("gateway"), *PRUNING, f"!/containers/{PHOTOS}")}
"""Files from which an image is made, next to its own folder."""
WORK_VOLUME = "work"
USER = "10001:10001"
STOP_SECONDS = 120
"""The most that ECS allows; longer than any container takes to finish its requests."""
FREE_DISK_GIBIBYTES = 20
RESTART_PERIOD = cdk.Duration.seconds(60)
"""A container that ends sooner after its start ends the task; ECS allows no less."""


class ImageTask(ecs.FargateTaskDefinition):
    """The definition, from which one machine takes commands, environment and stop timeouts too."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        settings: DeliverSettings,
        photos: PhotoSettings | None = None,
    ) -> None:
        size = environment.image_task
        super().__init__(
            scope,
            id_,
            cpu=size.cpu_units,
            memory_limit_mib=size.memory_mebibytes,
            ephemeral_storage_gib=(
                size.disk_gibibytes if size.disk_gibibytes > FREE_DISK_GIBIBYTES else None
            ),
            runtime_platform=ecs.RuntimePlatform(
                cpu_architecture=ARCHITECTURES[environment.architecture],
                operating_system_family=ecs.OperatingSystemFamily.LINUX,
            ),
            volumes=[ecs.Volume(name=WORK_VOLUME)],
            **task_roles(scope, id_),
        )
        self._environment = environment
        self._settings = settings
        self._images: dict[str, ecs.ContainerImage] = {}
        previous: ecs.ContainerDefinition | None = None
        for name in CONTAINERS:
            container = self._container(name, settings)
            if previous:
                container.add_container_dependencies(
                    ecs.ContainerDependency(
                        container=previous, condition=ecs.ContainerDependencyCondition.HEALTHY
                    )
                )
            previous = container
        if photos:
            # Nothing waits for it, and the task outlives it: images come first.
            self._container(PHOTOS, photos, essential=False)

    def _container(
        self, name: str, settings: DeliverSettings | PhotoSettings, *, essential: bool = True
    ) -> ecs.ContainerDefinition:
        front = ecs.PortMapping(container_port=self._settings.origin_port)
        container = self.add_container(
            name,
            image=self._image(IMAGES.get(name, name)),
            command=[f"containers/{name}/start"],
            environment=settings.to_environment(),
            user=USER,
            essential=essential,
            # A container that ends is started again in its task; the task is not replaced.
            enable_restart_policy=True,
            restart_attempt_period=RESTART_PERIOD,
            readonly_root_filesystem=True,
            stop_timeout=cdk.Duration.seconds(STOP_SECONDS),
            linux_parameters=self._confined(name),
            health_check=ecs.HealthCheck(
                command=["CMD-SHELL", f"containers/{name}/healthy"],
                interval=cdk.Duration.seconds(5),
                timeout=cdk.Duration.seconds(3),
                retries=3,
                start_period=cdk.Duration.seconds(30),
            ),
            port_mappings=[front] if name == FRONT else None,
            logging=ecs.LogDriver.aws_logs(
                stream_prefix=name,
                log_group=KeptLog(self, f"{name}Log", environment=self._environment),
                mode=ecs.AwsLogDriverMode.NON_BLOCKING,
            ),
        )
        container.add_ulimits(
            ecs.Ulimit(name=ecs.UlimitName.NOFILE, soft_limit=65_535, hard_limit=65_535)
        )
        container.add_mount_points(
            ecs.MountPoint(
                container_path=self._settings.work_directory,
                source_volume=WORK_VOLUME,
                read_only=False,
            )
        )
        return container

    def _confined(self, name: str) -> ecs.LinuxParameters:
        """Return what Linux allows a container, and nginx's memory for finished answers.

        Source: "Amazon ECS now supports tmpfs mounts on AWS Fargate" (AWS, 2026-01-06).
        """
        parameters = confined_process(self, f"{name}Linux")
        size = self._environment.answer_memory_mebibytes
        if name == FRONT and size:
            parameters.add_tmpfs(
                ecs.Tmpfs(
                    container_path=self._settings.memory_directory,
                    size=size,
                    mount_options=[
                        ecs.TmpfsMountOption.NODEV,
                        ecs.TmpfsMountOption.NOEXEC,
                        ecs.TmpfsMountOption.NOSUID,
                    ],
                )
            )
        return parameters

    def _image(self, folder: str) -> ecs.ContainerImage:
        """Return the image of a folder, the same one for all its containers."""
        if folder not in self._images:
            context = CONTEXT.get(folder, ())
            self._images[folder] = container_image(self, folder, self._environment, context)
        return self._images[folder]
