"""The stacks of an account, under CloudFormation's rules about what one stack reads of another.

An export that another stack imports can be neither removed nor changed, nor can its stack be
deleted; `Fn::ImportValue` and `Fn::GetStackOutput` need what they name when their stack is deployed
(CloudFormation, template reference, "Fn::ImportValue" and "Fn::GetStackOutput").
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vitrine.local.assembly import read_assembly


class Refused(Exception):
    """CloudFormation would not do it."""


class DeployedStacks:
    """Deploys assemblies as `cdk deploy --all` does: a stack after those that it depends on."""

    def __init__(self) -> None:
        self._templates: dict[str, dict[str, Any]] = {}

    @property
    def names(self) -> set[str]:
        """What is deployed, also of assemblies before."""
        return set(self._templates)

    def deploy(self, folder: Path) -> set[str]:
        """Deploy an assembly, and return the names of its stacks. Raises Refused."""
        stacks = read_assembly(folder, "", "")
        for stack in stacks:
            template = json.loads(stack.template.read_text())
            self._check_reads(stack.name, template)
            self._check_exports(stack.name, _exports(template))
            self._templates[stack.name] = template
        return {stack.name for stack in stacks}

    def delete(self, name: str) -> None:
        """Delete a stack. Raises Refused."""
        self._check_exports(name, {})
        del self._templates[name]

    def _check_reads(self, name: str, template: dict[str, Any]) -> None:
        exported = {key for other in self._templates.values() for key in _exports(other)}
        for read in references(template):
            if "Fn::ImportValue" in read:
                exists = read["Fn::ImportValue"] in exported
            else:
                output = read["Fn::GetStackOutput"]
                producer = self._templates.get(output["StackName"], {})
                exists = output["OutputName"] in producer.get("Outputs", {})
            if not exists:
                raise Refused(f"{name} reads what is not there: {read}")

    def _check_exports(self, name: str, new: dict[str, Any]) -> None:
        for export, value in _exports(self._templates.get(name, {})).items():
            users = {
                other
                for other, template in self._templates.items()
                if {"Fn::ImportValue": export} in list(references(template))
            }
            if users and new.get(export) != value:
                raise Refused(f"{export} is in use by {', '.join(sorted(users))}")


def references(part: Any) -> Iterator[dict[str, Any]]:
    """Yield each intrinsic function by which a template reads of another stack."""
    if isinstance(part, dict):
        if part.keys() in ({"Fn::ImportValue"}, {"Fn::GetStackOutput"}):
            yield part
            return
        part = list(part.values())
    if isinstance(part, list):
        for item in part:
            yield from references(item)


def _exports(template: dict[str, Any]) -> dict[str, Any]:
    return {
        output["Export"]["Name"]: output["Value"]
        for output in template.get("Outputs", {}).values()
        if "Export" in output
    }
