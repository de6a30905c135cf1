"""Deploys assemblies into an account of CloudFormation's rules, in the order of the CDK."""

from pathlib import Path

from vitrine.account.stack_order import DeployedStacks, Place
from vitrine.local.assembly import read_templates


def deploy_all(account: DeployedStacks, folder: Path) -> set[Place]:
    """Do what `cdk deploy --all` does; return the places of the stacks. Raises StackRefused."""
    templates = read_templates(folder)
    for place, template in templates.items():
        account.deploy(place, template)
    return set(templates)
