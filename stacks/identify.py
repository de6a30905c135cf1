"""Identify: the tables of identifiers, of masters' latest outcomes, and of the catalogue."""

from constructs import Construct

from stacks.constructs.state_table import StateTable
from stacks.constructs.uses_table import UsesTable
from stacks.environments import Environment
from stacks.stage import StageStack


class IdentifyStack(StageStack):
    """The tables `identifiers`, `outcomes` and `catalogue`, and with a photo door or access `uses`.

    `listing` is `<state>#<shard>`: sixteen shards keep the items of one state off one partition.
    `by-target` holds redirects only, since no other item has a `target`. The catalogue has what
    records of objects say of others, by what they say it of (docs/adr/0044).
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
        self.catalogue = StateTable(
            self, "Catalogue", environment=environment, key="subject", sort="record"
        )
        is_counting = environment.photos or environment.access
        self.uses = UsesTable(self, "Uses") if is_counting else None
        self.publish_outputs(
            {
                "IdentifiersTableName": self.identifiers.table_name,
                "OutcomesTableName": self.outcomes.table_name,
                "CatalogueTableName": self.catalogue.table_name,
            }
        )
