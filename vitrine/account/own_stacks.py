"""The deployed stacks of an environment: those that templates have, and those that are left."""

from collections.abc import Iterable
from dataclasses import dataclass

from vitrine.account.needs import Needs
from vitrine.account.ports import Account, AccountSilent
from vitrine.account.stack_order import Place, Template

ON_REQUEST = ("loadtest",)
"""Stages that a deployment has with a `-c` of its own, whatever `environments.toml` says."""
_DATA = ("Bucket", "Table", "GlobalTable", "Queue", "LogGroup", "BackupVault", "Key")
"""Last words of the types that hold data, or the key to it."""


@dataclass(frozen=True, kw_only=True)
class OwnStacks:
    """What is deployed of an environment, in all regions that answered."""

    deployed: tuple[Place, ...]
    left: tuple[Place, ...]
    """Stacks among them that no template has any more."""
    silent: tuple[str, ...]
    """Regions that nobody may look into."""


def find_stacks(needs: Needs, account: Account) -> OwnStacks:
    """Look for stacks of the environment in every region of the account.

    Raises AccountSilent if a region of the templates is silent.
    """
    found, silent = list[Place](), []
    for region in sorted({*account.regions(), *needs.regions}):
        try:
            found += ((region, stack.name) for stack in account.stacks(region))
        except AccountSilent:
            if region in needs.regions:
                raise
            silent.append(region)
    ours = {name.rpartition("-")[0] for _, name in needs.stacks}
    deployed = tuple(place for place in found if place[1].rpartition("-")[0] in ours)
    requested = {(needs.region, f"{name}-{stage}") for name in ours for stage in ON_REQUEST}
    known = {*needs.stacks, *requested}
    left = tuple(place for place in deployed if place not in known)
    return OwnStacks(deployed=deployed, left=left, silent=tuple(silent))


def split_data(template: Template) -> tuple[list[str], list[str]]:
    """Return the types of a stack's data: what is deleted with the stack, and what stays."""
    resources: Iterable[dict[str, str]] = template.get("Resources", {}).values()
    data = [one for one in resources if one["Type"].rpartition("::")[2] in _DATA]
    kept = {one["Type"] for one in data if "Retain" in one.get("DeletionPolicy", "")}
    lost = {one["Type"] for one in data if "Retain" not in one.get("DeletionPolicy", "")}
    return sorted(lost), sorted(kept)
