"""Deliver: the image tasks and the load balancer in front of them."""

from dataclasses import asdict

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.image_balancer import ImageBalancer
from stacks.constructs.image_service import ImageService
from stacks.constructs.image_task import ImageTask
from stacks.constructs.network import Network
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.stage import StageStack
from stacks.store import StoreStack
from vitrine.settings import DeliverSettings
from vitrine.store.layout import PUBLICATIONS


class DeliverStack(StageStack):
    """The edge sends image requests to `balancer`; `settings` are those of the image tasks."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        network: Network,
        store: StoreStack,
        identify: IdentifyStack,
    ) -> None:
        super().__init__(scope, "deliver", environment=environment)
        size = environment.image_task
        self.settings = settings = DeliverSettings(
            access_masters_bucket=store.access_masters.bucket_name,
            site_bucket=store.site.bucket_name,
            identifiers_table=identify.identifiers.table_name,
            public_base_url=environment.public_base_url,
            environment_name=environment.name,
            gateway_processes=size.gateway_processes,
            render_cores=size.cores,
            iipsrv_processes=size.cores,
            # The other half is the gateway's, nginx's and that of the files in the page cache.
            iipsrv_memory_mebibytes=size.memory_mebibytes // 2 // size.cores,
            cache_mebibytes=environment.cache_mebibytes,
            log_level=environment.log_level,
            **asdict(environment.deliver),
        )
        task = ImageTask(self, "ImageTask", environment=environment, settings=settings)
        grants.read_objects(store.access_masters, task.task_role)
        grants.read_objects(store.site, task.task_role, f"{PUBLICATIONS}*")
        grants.read_items(identify.identifiers, task.task_role)
        grants.read_many_items(identify.identifiers, task.task_role)
        self.balancer = ImageBalancer(
            self, "Balancer", environment=environment, network=network, logs=store.access_logs
        )
        service = self._make_service(environment, network, task)
        self.balancer.send_images_to(service.front(), settings.origin_port)
        self.publish_outputs(
            {
                "ClusterName": service.cluster.cluster_name,
                "ServiceName": service.service_name,
                "TaskDefinitionArn": task.task_definition_arn,
            }
        )

    def _make_service(
        self, environment: Environment, network: Network, task: ImageTask
    ) -> ImageService:
        group = ec2.SecurityGroup(
            self, "TaskGroup", vpc=network.vpc, description="Image tasks", allow_all_outbound=True
        )
        network.admit(group)
        return ImageService(
            self, "Service", environment=environment, network=network, task=task, group=group
        )
