"""Identify: the tables of what an identifier answers and of each master's latest outcome."""

from constructs import Construct

from stacks.constructs.state_table import StateTable
from stacks.constructs.uses_table import UsesTable
from stacks.environments import Environment
from stacks.stage import StageStack


class IdentifyStack(StageStack):
    """The tables `identifiers` and `outcomes`, and with a photo door or access `uses`.

    `listing` is `<state>#<shard>`: sixteen shards keep the items of one state off one partition.
    `by-target` holds redirects only, since no other item has a `target`.
    """

    def __init__(self, scope: Construct, *, environment: Environment) -> None:
        super().__init__(scope, "identify", environment=environment)
        self.identifiers = StateTable(
            self,
            "Identifiers",
            environment=environment,
            key="identifier",
            indexes={
                "by-listing": ("listing", "changed_at"),
                "by-target": ("target", "identifier"),
            },
        )
        self.outcomes = StateTable(
            self,
            "Outcomes",
            environment=environment,
            key="master_key",
            indexes={"by-state": ("listing", "changed_at")},
        )
        is_counting = environment.photos or environment.access
        self.uses = UsesTable(self, "Uses") if is_counting else None
        self.publish_outputs(
            {
                "IdentifiersTableName": self.identifiers.table_name,
                "OutcomesTableName": self.outcomes.table_name,
            }
        )
