"""The order in which CloudFormation lets an environment's stacks be deployed and deleted.

An export that another stack imports can be neither removed nor changed, nor can its stack be
deleted; `Fn::ImportValue` and `Fn::GetStackOutput` need what they name when their stack is deployed
(CloudFormation, template reference, "Fn::ImportValue" and "Fn::GetStackOutput").
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vitrine.errors import VitrineError

Template = Mapping[str, Any]
Place = tuple[str, str]
"""Region and name of a stack."""


class StackRefused(VitrineError):
    """CloudFormation would not do it; `blockers` are the stacks that have to change before.

    If what is imported has no export yet, `export` is its name instead.
    """

    def __init__(self, reason: str, blockers: Iterable[Place] = (), export: str = "") -> None:
        super().__init__(reason)
        self.blockers = tuple(blockers)
        self.export = export


@dataclass(frozen=True)
class Step:
    """One stack's turn: its deployment, or its deletion if there is no template."""

    place: Place
    template: Template | None
    kept: tuple[str, ...] = ()
    """Exports of the deployed stack that the template has besides its own, until another stack no
    longer imports them; the stack has another turn after that."""


class DeployedStacks:
    """The templates of deployed stacks, which change as CloudFormation allows."""

    def __init__(self, templates: Mapping[Place, Template] | None = None) -> None:
        self._templates = dict(templates or {})

    @property
    def places(self) -> set[Place]:
        """Region and name of all."""
        return set(self._templates)

    def deploy(self, place: Place, template: Template) -> None:
        """Deploy a stack. Raises StackRefused."""
        self._check_reads(place, template)
        self._check_exports(place, _exports(template))
        self._templates[place] = template

    def delete(self, place: Place) -> None:
        """Delete a stack. Raises StackRefused."""
        self._check_exports(place, {})
        del self._templates[place]

    def keep_exports(self, place: Place, template: Template) -> tuple[Template, tuple[str, ...]]:
        """Return the template with the exports that others still import, and their names.

        Raises KeyError if there is no such export, or one cannot stay: what it stands for is not in
        the template any more.
        """
        new, kept = _exports(template), dict[str, Any]()
        deployed = self._templates.get(place, {})
        resources = template.get("Resources", {})
        stay = {
            name
            for name, resource in deployed.get("Resources", {}).items()
            if resources.get(name, {}).get("Type") == resource["Type"]
        }
        for key, output in deployed.get("Outputs", {}).items():
            export = output.get("Export", {}).get("Name")
            if export is None or export in new or not self._users(place, export):
                continue
            if key in template.get("Outputs", {}) or not _refers_to(output["Value"], stay):
                raise KeyError(export)
            kept[key] = output
        if not kept:
            raise KeyError(place)
        names = tuple(output["Export"]["Name"] for output in kept.values())
        return {**template, "Outputs": {**template.get("Outputs", {}), **kept}}, names

    def _check_reads(self, place: Place, template: Template) -> None:
        region, name = place
        exported = {key for _, other in self._in_region(region) for key in _exports(other)}
        for read in references(template):
            refused = f"{name} reads what is not there: {read}"
            if export := read.get("Fn::ImportValue"):
                if export not in exported:
                    raise StackRefused(refused, export=export)
            else:
                output = read["Fn::GetStackOutput"]
                producer = output.get("Region", region), output["StackName"]
                outputs = self._templates.get(producer, {}).get("Outputs", {})
                if output["OutputName"] not in outputs:
                    raise StackRefused(refused, [producer])

    def _check_exports(self, place: Place, new: Mapping[str, Any]) -> None:
        for export, value in _exports(self._templates.get(place, {})).items():
            users = self._users(place, export)
            if users and new.get(export) != value:
                names = ", ".join(name for _, name in users)
                raise StackRefused(f"{place[1]}: {export} is in use by {names}", users)

    def _users(self, place: Place, export: str) -> list[Place]:
        """Return the stacks that import an export."""
        return sorted(
            other
            for other, template in self._in_region(place[0])
            if {"Fn::ImportValue": export} in list(references(template))
        )

    def _in_region(self, region: str) -> Iterator[tuple[Place, Template]]:
        yield from (item for item in self._templates.items() if item[0][0] == region)


def plan_steps(
    deployed: DeployedStacks, new: Mapping[Place, Template], left: Collection[Place] = ()
) -> list[Step]:
    """Return the steps that deploy `new`, as far as possible in its order, and delete `left`.

    A stack that still imports what another one no longer exports has its turn before it. If it also
    imports what that one exports from now on, that one has two turns: first with both. What is
    deleted comes last, unless it keeps something from being deployed. `deployed` is changed. Raises
    StackRefused if there is no such order.
    """
    plan = _Plan(deployed, {**new, **dict.fromkeys(left)})
    while plan.waiting:
        plan.take(next(iter(plan.waiting)))
    return plan.steps


class _Plan:
    """Steps that were found, and the stacks that have yet to have their turn."""

    def __init__(self, deployed: DeployedStacks, waiting: Mapping[Place, Template | None]) -> None:
        self.waiting = dict(waiting)
        self.steps: list[Step] = []
        self._deployed = deployed
        self._begun = set[Place]()
        self._exporters = {
            name: place for place, template in waiting.items() for name in _exports(template or {})
        }
        self._kept = set[Place]()

    def take(self, place: Place) -> None:
        """Give a stack its turn, after all that keeps it from changing. Raises StackRefused.

        If that waits for the stack itself, it is deployed with the exports that it had as well, and
        stays among those that wait.
        """
        self._begun.add(place)
        try:
            while not self._change(place):
                pass
        finally:
            self._begun.discard(place)

    def _change(self, place: Place) -> bool:
        """Deploy or delete a stack, or what has its turn before; False if that was another."""
        template = self.waiting[place]
        try:
            if template is None:
                self._deployed.delete(place)
            else:
                self._deployed.deploy(place, template)
        except StackRefused as refused:
            exporter = self._exporters.get(refused.export)
            blockers = refused.blockers or ((exporter,) if exporter else ())
            movable = [one for one in blockers if one in self.waiting.keys() - self._begun]
            if not movable:
                if self._begun.intersection(blockers) and self._keep_exports(place):
                    return True
                raise
            steps = len(self.steps)
            try:
                self.take(movable[0])
            except StackRefused as other:
                if not self._keep_exports(place):
                    raise StackRefused(f"{refused}; {other}") from other
            if len(self.steps) == steps:
                raise
            return False
        del self.waiting[place]
        self.steps.append(Step(place, template))
        return True

    def _keep_exports(self, place: Place) -> bool:
        """Deploy a stack with the exports that it had as well, once; False if that cannot be."""
        template = self.waiting[place]
        if template is None:
            return False
        if place in self._kept:
            return True
        with suppress(KeyError, StackRefused):
            both, names = self._deployed.keep_exports(place, template)
            self._deployed.deploy(place, both)
            self._kept.add(place)
            self.steps.append(Step(place, both, names))
            return True
        return False


def references(part: Any) -> Iterator[dict[str, Any]]:
    """Yield each intrinsic function by which a template reads of another stack."""
    if isinstance(part, Mapping):
        if part.keys() in ({"Fn::ImportValue"}, {"Fn::GetStackOutput"}):
            yield dict(part)
            return
        part = list(part.values())
    if isinstance(part, list):
        for item in part:
            yield from references(item)


def _exports(template: Template) -> dict[str, Any]:
    return {
        output["Export"]["Name"]: output["Value"]
        for output in template.get("Outputs", {}).values()
        if "Export" in output
    }


def _refers_to(value: Any, resources: Collection[str]) -> bool:
    """Return True if a value is made of these resources, of pseudo parameters and of texts only."""
    match value:
        case str():
            return True
        case list():
            return all(_refers_to(item, resources) for item in value)
        case {"Ref": str(name)}:
            return name in resources or name.startswith("AWS::")
        case {"Fn::GetAtt": [str(name), _]}:
            return name in resources
        case {"Fn::Join": parts} | {"Fn::Select": parts} | {"Fn::Split": parts}:
            return _refers_to(parts, resources)
        case _:
            return False
