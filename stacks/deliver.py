"""Deliver: what serves the images, tasks behind a load balancer or a Lambda."""

from dataclasses import asdict

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticloadbalancingv2 as elbv2
from aws_cdk import aws_iam as iam
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.authorization_function import AuthorizationFunction
from stacks.constructs.balanced_tasks import BalancedTasks
from stacks.constructs.content_search_function import ContentSearchFunction
from stacks.constructs.image_balancer import ImageBalancer
from stacks.constructs.image_function import WORK_DIRECTORY, ImageFunction
from stacks.constructs.image_origin import ImageOrigin
from stacks.constructs.image_service import ImageService
from stacks.constructs.image_task import ImageTask
from stacks.constructs.log_queries import FRONT_DOOR, kept_logs
from stacks.constructs.mcp_function import McpFunction
from stacks.constructs.network import Network
from stacks.constructs.photo_faults import ANSWERED_BY_TASK, PhotoFaults
from stacks.constructs.photo_function import PhotoFunction
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.sizes import ImageFunctionSize
from stacks.stage import StageStack
from stacks.store import StoreStack
from vitrine.settings.deliver import DeliverSettings
from vitrine.settings.edge import AuthorizationSettings
from vitrine.settings.photos import PhotoSettings
from vitrine.store.layout import (
    ACCESS,
    ACCESS_TABLE,
    COLLECTION_RULES,
    INSIDE,
    PHOTO_FORM_KEYS,
    PHOTOS,
    PUBLICATIONS,
    THUMBNAILS,
    TICKET_KEYS,
)


class DeliverStack(StageStack):
    """The stack of what answers, as the edge sends it on.

    Image requests go to `images`, photographs to `photo_function`, people on the way to restricted
    images to `authorization_function` and programs that speak MCP to `mcp_function`, if there are
    these, and searches in texts to `content_search_function`; `settings` are those of the
    processes of `images`.
    """

    settings: DeliverSettings
    images: ImageOrigin
    photo_function: PhotoFunction | None
    photo_faults: PhotoFaults | None
    authorization_function: AuthorizationFunction | None
    content_search_function: ContentSearchFunction
    mcp_function: McpFunction | None

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        network: Network | None,
        store: StoreStack,
        identify: IdentifyStack,
    ) -> None:
        """Raise ValueError if tasks serve the images and there is no network for them."""
        super().__init__(scope, "deliver", environment=environment)
        self._environment = environment
        self._store = store
        self._identify = identify
        if environment.image_function:
            self.settings = self._function_settings(environment.image_function)
            self.images = self._make_function(environment.image_function)
        elif network:
            self.settings = self._task_settings()
            self.images = self._make_tasks(network)
        else:
            raise ValueError("image tasks need a network")
        self.photo_function = self._make_photo_function()
        self.photo_faults = self._count_photo_faults()
        self.authorization_function = self._make_authorization_function()
        self.content_search_function = ContentSearchFunction(
            self, environment=environment, site=store.site
        )
        self.mcp_function = (
            McpFunction(self, "Mcp", environment=environment) if environment.mcp else None
        )
        door = {"PhotoApiId": self.photo_function.api.api_id} if self.photo_function else {}
        admit = (
            {"AuthorizationFunctionUrl": self.authorization_function.url.url}
            if self.authorization_function
            else {}
        )
        inside = {"ContentSearchFunctionUrl": self.content_search_function.url.url}
        mcp = {"McpApiId": self.mcp_function.api.api_id} if self.mcp_function else {}
        self.publish_outputs({**self.images.outputs, **door, **admit, **inside, **mcp})

    def _task_settings(self) -> DeliverSettings:
        size = self._environment.image_task
        return self._settings(
            gateway_processes=size.gateway_processes,
            render_cores=size.cores,
            iipsrv_processes=size.cores,
            # The other half is the gateway's, nginx's and that of the files in the page cache.
            iipsrv_memory_mebibytes=size.memory_mebibytes // 2 // size.cores,
            cache_mebibytes=self._environment.cache_mebibytes,
        )

    def _function_settings(self, size: ImageFunctionSize) -> DeliverSettings:
        return self._settings(
            gateway_processes=1,
            render_cores=size.cores,
            iipsrv_processes=size.cores,
            iipsrv_memory_mebibytes=size.memory_mebibytes // 2 // size.cores,
            cache_mebibytes=size.cache_mebibytes,
            work_directory=WORK_DIRECTORY,
            # These are nginx's, which is not there.
            derivative_cache_mebibytes=0,
            tile_cache_mebibytes=0,
        )

    def _settings(self, **values: int | str) -> DeliverSettings:
        environment = self._environment
        photos = environment.photo_task
        door = {}
        if photos:
            door = {
                name: getattr(photos, name) for name in ("photo_queue", "maximum_photo_mebibytes")
            }
        common = asdict(environment.deliver) | {
            "access_masters_bucket": self._store.access_masters.bucket_name,
            "site_bucket": self._store.site.bucket_name,
            "identifiers_table": self._identify.identifiers.table_name,
            "records_bucket": self._store.records.bucket_name,
            "public_base_url": environment.public_base_url,
            "environment_name": environment.name,
            "log_level": environment.log_level,
            "downloads_at_once": environment.downloads_at_once,
        }
        return DeliverSettings(**(common | door | values))

    def _task_photo_settings(self) -> PhotoSettings | None:
        size = self._environment.image_task
        if not self._environment.photo_task:
            return None
        # A third: half is iipsrv's, which rarely needs it when all decode.
        return self._photo_settings(size.cores, size.memory_mebibytes // 3 // size.cores)

    def _photo_settings(self, workers: int, memory_mebibytes: int) -> PhotoSettings:
        environment, uses = self._environment, self._identify.uses
        assert environment.photos
        assert uses
        options = asdict(environment.photos)
        options["maximum_photo_mebibytes"] = environment.most_photo_mebibytes
        return PhotoSettings(
            **options,
            masters_bucket=self._store.masters.bucket_name,
            records_bucket=self._store.records.bucket_name,
            uses_table=uses.table_name,
            public_base_url=environment.public_base_url,
            photo_workers=workers,
            photo_memory_mebibytes=memory_mebibytes,
            log_level=environment.log_level,
        )

    def _let_photos_in(self, door: iam.IGrantable) -> None:
        """Allow what the photo door does: new masters below one prefix, thumbnails, counters."""
        store, uses = self._store, self._identify.uses
        if not uses:
            return
        for bucket, keys in ((store.masters, f"{PHOTOS}*"), (store.records, f"{THUMBNAILS}*")):
            grants.read_objects(bucket, door, keys)
            grants.write_objects(bucket, door, keys)
        grants.read_objects(store.records, door, PHOTO_FORM_KEYS)
        grants.count_uses(uses, door)

    def _let_read(self, reader: iam.IGrantable) -> None:
        grants.read_objects(self._store.access_masters, reader)
        grants.read_objects(self._store.site, reader, f"{PUBLICATIONS}*")
        if self._environment.downloads_at_once:
            # A whole object has the texts of its pages.
            grants.read_objects(self._store.site, reader, f"{INSIDE}*")
        for key in (TICKET_KEYS, ACCESS_TABLE, COLLECTION_RULES):
            grants.read_objects(self._store.records, reader, key)
        grants.read_items(self._identify.identifiers, reader)
        grants.read_many_items(self._identify.identifiers, reader)

    def _make_function(self, size: ImageFunctionSize) -> ImageOrigin:
        function = ImageFunction(
            self,
            "ImageFunction",
            environment=self._environment,
            size=size,
            settings=self.settings,
        )
        self._let_read(function)
        return function

    def _make_photo_function(self) -> PhotoFunction | None:
        environment, size = self._environment, self._environment.photo_function
        if not (environment.photos and size):
            return None
        # The rest is the runtime's, and what an upload has while it is on its way.
        settings = self._photo_settings(1, size.memory_mebibytes // 2)
        door = PhotoFunction(self, "Photos", environment=environment, size=size, settings=settings)
        self._let_photos_in(door.function)
        return door

    def _count_photo_faults(self) -> PhotoFaults | None:
        if self.photo_function:
            return self.photo_function.faults
        if not self._environment.photo_task:
            return None
        (log,) = kept_logs(self, self.images.log_names[FRONT_DOOR])
        return PhotoFaults(
            self, "Photos", environment=self._environment, log=log, pattern=ANSWERED_BY_TASK
        )

    def _make_authorization_function(self) -> AuthorizationFunction | None:
        environment, store, uses = self._environment, self._store, self._identify.uses
        if not environment.access:
            return None
        assert uses
        function = AuthorizationFunction(
            self,
            environment=environment,
            settings=AuthorizationSettings(
                **asdict(environment.access),
                records_bucket=store.records.bucket_name,
                identifiers_table=self._identify.identifiers.table_name,
                uses_table=uses.table_name,
                public_base_url=environment.public_base_url,
            ),
        )
        grants.count_uses(uses, function)
        grants.read_objects(store.records, function, f"{ACCESS}*")
        grants.read_items(self._identify.identifiers, function)
        return function

    def _make_tasks(self, network: Network) -> ImageOrigin:
        environment = self._environment
        task = ImageTask(
            self,
            "ImageTask",
            environment=environment,
            settings=self.settings,
            photos=self._task_photo_settings(),
        )
        self._let_read(task.task_role)
        if environment.photo_task:
            self._let_photos_in(task.task_role)
        balancer = ImageBalancer(
            self, "Balancer", environment=environment, network=network, logs=self._store.access_logs
        )
        group = ec2.SecurityGroup(
            self, "TaskGroup", vpc=network.vpc, description="Image tasks", allow_all_outbound=True
        )
        network.admit(group)
        service = ImageService(
            self, "Service", environment=environment, network=network, task=task, group=group
        )
        balancer.send_images_to(service.front(), self.settings.origin_port)
        (tasks,) = (
            item for item in self.node.find_all() if isinstance(item, elbv2.ApplicationTargetGroup)
        )
        return BalancedTasks(
            environment=environment, balancer=balancer, tasks=tasks, service=service, task=task
        )
