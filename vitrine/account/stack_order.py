"""The order in which CloudFormation lets an environment's stacks be deployed and deleted.

An export that another stack imports can be neither removed nor changed, nor can its stack be
deleted; `Fn::ImportValue` and `Fn::GetStackOutput` need what they name when their stack is deployed
(CloudFormation, template reference, "Fn::ImportValue" and "Fn::GetStackOutput").
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
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
            users = sorted(
                other
                for other, template in self._in_region(place[0])
                if {"Fn::ImportValue": export} in list(references(template))
            )
            if users and new.get(export) != value:
                names = ", ".join(name for _, name in users)
                raise StackRefused(f"{place[1]}: {export} is in use by {names}", users)

    def _in_region(self, region: str) -> Iterator[tuple[Place, Template]]:
        yield from (item for item in self._templates.items() if item[0][0] == region)


def plan_steps(
    deployed: DeployedStacks, new: Mapping[Place, Template], left: Collection[Place] = ()
) -> list[Step]:
    """Return the steps that deploy `new`, as far as possible in its order, and delete `left`.

    A stack that still imports what another one no longer exports has its turn before it. What is
    deleted comes last, unless it keeps something from being deployed. `deployed` is changed. Raises
    StackRefused if there is no such order.
    """
    waiting: dict[Place, Template | None] = {**new, **dict.fromkeys(left)}
    steps, begun = list[Step](), set[Place]()
    exporters = {name: place for place, template in new.items() for name in _exports(template)}

    def take(place: Place) -> None:
        begun.add(place)
        template = waiting[place]
        while True:
            try:
                if template is None:
                    deployed.delete(place)
                else:
                    deployed.deploy(place, template)
                break
            except StackRefused as refused:
                blockers = refused.blockers or [exporters.get(refused.export)]
                movable = [one for one in blockers if one and one in waiting.keys() - begun]
                if not movable:
                    raise
                try:
                    take(movable[0])
                except StackRefused as other:
                    raise StackRefused(f"{refused}; {other}") from other
        del waiting[place]
        steps.append(Step(place, template))

    while waiting:
        take(next(iter(waiting)))
    return steps


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
