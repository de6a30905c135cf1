"""Observe: the dashboard, if the environment has one."""

from typing import TypeVar

from aws_cdk import aws_elasticloadbalancingv2 as elbv2
from constructs import Construct

from stacks.constructs.dashboard import Dashboard, Observed
from stacks.constructs.image_service import ImageService
from stacks.constructs.python_function import PythonFunction
from stacks.constructs.work_queue import WorkQueue
from stacks.deliver import DeliverStack
from stacks.edge import EdgeStack
from stacks.environments import Environment
from stacks.ingest import IngestStack
from stacks.present import PresentStack
from stacks.stage import StageStack

Kind = TypeVar("Kind")


class ObserveStack(StageStack):
    """The dashboard over all other stacks, in which it changes nothing."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        ingest: IngestStack,
        deliver: DeliverStack,
        edge: EdgeStack,
        present: PresentStack,
    ) -> None:
        super().__init__(scope, "observe", environment=environment)
        workers = [
            item for stack in (ingest, edge, present) for item in _find_all(stack, WorkQueue)
        ]
        converters = [
            item for item in _find_all(ingest, PythonFunction) if item.step == "convert_master"
        ]
        (service,) = _find_all(deliver, ImageService)
        (tasks,) = _find_all(deliver, elbv2.ApplicationTargetGroup)
        dashboard = Dashboard(
            self,
            "Dashboard",
            observed=Observed(
                uploads=ingest.uploads.queue,
                failures=ingest.failures,
                dead_letters={
                    **{item.worker.state: item.dead_letters for item in workers},
                    "Missed reconciliations": ingest.missed_reconciliations,
                },
                machine=ingest.machine,
                converters={item.state: item for item in converters},
                distribution=edge.distribution,
                balancer=deliver.balancer,
                tasks=tasks,
                service=service,
            ),
        )
        self.publish_outputs({"DashboardUrl": dashboard.url})


def _find_all(stack: StageStack, kind: type[Kind]) -> list[Kind]:
    return [item for item in stack.node.find_all() if isinstance(item, kind)]
