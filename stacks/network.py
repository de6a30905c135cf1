"""Network: the VPC that the tasks which convert giants share with those that serve images."""

from constructs import Construct

from stacks.constructs.network import Network, ReachableServices
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.stage import StageStack
from stacks.store import StoreStack


class NetworkStack(StageStack):
    """The `network`, made before the first stage that runs a task.

    With an existing VPC the stack is empty, and the CDK does not deploy it.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        store: StoreStack,
        identify: IdentifyStack,
    ) -> None:
        super().__init__(scope, "network", environment=environment, reads_weakly=True)
        self.network = Network(
            self,
            "Network",
            environment=environment,
            logs=store.access_logs,
            reached=ReachableServices(
                read=(store.masters, store.access_masters, store.records, store.site),
                written=(
                    *(store.access_masters, store.records),
                    *([store.masters] if environment.photo_task else []),
                ),
                table=identify.identifiers,
                counters=identify.uses if environment.photo_task else None,
            ),
        )
