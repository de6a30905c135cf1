"""Templates of an environment, as the promises read them."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import aws_cdk as cdk

from stacks.designs import ENVIRONMENTS
from stacks.environments import Environment
from stacks.service import add_stacks, new_app

UNSTAGED = "aws:cdk:disable-asset-staging"
"""Context with which the CDK hashes assets and leaves them where they are: 70 MB less to copy."""
STORED = re.compile(
    r"(?:GetAtt|Ref)(AccessMasters|Masters|Site|AccessLogs|Catalogue|Identifiers|Outcomes)[0-9A-F]{8}"
)


@dataclass(frozen=True)
class Resource:
    """One resource of a template; `id` is its logical id."""

    stage: str
    id: str
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        """CloudFormation type."""
        return str(self.body["Type"])

    @property
    def properties(self) -> dict[str, Any]:
        """Its properties; {} if it has no properties."""
        return dict(self.body.get("Properties", {}))


@dataclass(frozen=True)
class Statement:
    """One statement of the policy of a role; `role` is the role's logical id."""

    role: str
    effect: str
    actions: list[str]
    resources: list[Any]
    conditions: dict[str, Any]

    @property
    def stored(self) -> set[str]:
        """Those of our buckets and tables that are among the resources."""
        return set(STORED.findall(json.dumps(self.resources)))


def write_templates(environment: Environment, folder: Path) -> None:
    """Synthesize `environment` into `folder`; only of `dev` the assets are copied there too."""
    app = new_app(outdir=str(folder), builtin_cloud_formation_validation=False)
    if environment != ENVIRONMENTS["dev"]:
        app.node.set_context(UNSTAGED, True)
    add_stacks(app, environment)
    app.synth()


class Templates:
    """The templates of one environment, which `write_templates` has written to `folder`."""

    def __init__(self, environment: Environment, folder: Path) -> None:
        self.environment = environment
        self.folder = folder
        self.assembly = cdk.cx_api.CloudAssembly(str(folder))
        self.stages = {
            stack.stack_name.rpartition("-")[2]: stack.template for stack in self.assembly.stacks
        }

    @property
    def files(self) -> list[Path]:
        """The template files."""
        return sorted(self.folder.glob("*.template.json"))

    @cached_property
    def resources(self) -> list[Resource]:
        """All resources of all stacks. A stack may have none: then it is not deployed."""
        return [
            Resource(stage, name, body)
            for stage, template in self.stages.items()
            for name, body in template.get("Resources", {}).items()
        ]

    def of(self, kind: str) -> list[Resource]:
        """Return all resources of a CloudFormation type; there must be at least one."""
        found = [resource for resource in self.resources if resource.kind == kind]
        assert found, f"no {kind}"
        return found

    def one(self, kind: str, prefix: str = "") -> Resource:
        """Return the only resource of a type whose logical id begins with `prefix`."""
        (found,) = [resource for resource in self.of(kind) if resource.id.startswith(prefix)]
        return found

    @cached_property
    def statements(self) -> list[Statement]:
        """The statements of all roles."""
        return [
            Statement(
                role=role["Ref"],
                effect=statement["Effect"],
                actions=_list(statement["Action"]),
                resources=_list(statement["Resource"]),
                conditions=statement.get("Condition", {}),
            )
            for policy in self.of("AWS::IAM::Policy")
            for role in policy.properties["Roles"]
            for statement in policy.properties["PolicyDocument"]["Statement"]
        ]

    def allowed(self, role: str) -> list[Statement]:
        """Return the statements of the role whose logical id begins with `role`."""
        found = [item for item in self.statements if item.role.startswith(role)]
        assert found, f"no statement of {role}"
        return found

    def bucket_policies(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Yield (bucket, statements of its policy) for every bucket of the store stack."""
        for policy in self.of("AWS::S3::BucketPolicy"):
            bucket = json.dumps(policy.properties["Bucket"])
            (name,) = {item.id for item in self.of("AWS::S3::Bucket") if item.id in bucket}
            yield name, policy.properties["PolicyDocument"]["Statement"]

    def definition(self, machine: str = "Machine") -> dict[str, Any]:
        """Return the definition of the machine whose logical id begins with `machine`."""
        found = self.one("AWS::StepFunctions::StateMachine", machine)
        parts = found.properties["DefinitionString"]
        text = "".join(part if isinstance(part, str) else "x" for part in parts["Fn::Join"][1])
        definition: dict[str, Any] = json.loads(text)
        return definition

    def states(self, machine: str = "Machine") -> dict[str, dict[str, Any]]:
        """Return the states of the machine whose logical id begins with `machine`."""
        states: dict[str, dict[str, Any]] = self.definition(machine)["States"]
        return states


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
