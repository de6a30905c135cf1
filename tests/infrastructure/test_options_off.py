"""What was switched on can be switched off: all options at once, and on again.

An export that a single option takes away goes with all of them, too, so this finds what
test_each_option_off.py finds at night, which names the option.
"""

import json
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER

from stacks.environment_values import EnvironmentValues
from tests.infrastructure.deployed_stacks import deploy_all
from tests.infrastructure.options import KEPT, KINDS, OFF, ON, without
from vitrine.account.stack_order import DeployedStacks, StackRefused, plan_steps, references
from vitrine.edge.policies import PHOTOS_PATTERN
from vitrine.local.assembly import read_templates

REPLACED_ANYWAY = {
    "AWS::Backup::BackupSelection": "backups that were made stay in the vault",
    "AWS::EC2::FlowLog": "what was logged stays in its bucket",
    "AWS::ECS::TaskDefinition": "each change makes a new revision, and tasks change one by one",
    "AWS::Lambda::Permission": "the new one is there before the old one goes",
    "AWS::Logs::DeliveryDestination": "of the edge's log, to a bucket that stays",
}
"""Types whose replacement is harmless, and why."""


@pytest.fixture(scope="module", params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.fixture(scope="module")
def full(kind, synthesize):
    return synthesize(kind)


@pytest.fixture(scope="module")
def bare(kind, synthesize):
    return synthesize(without(kind, *OFF))


def test_every_option_is_known_here():
    hints = get_type_hints(EnvironmentValues)
    optional = {
        item.name
        for item in fields(EnvironmentValues)
        if hints[item.name] is bool or type(None) in get_args(hints[item.name])
    }
    switched = {name for change in OFF.values() for name in change}
    assert optional - switched == KEPT.keys()
    assert switched - {"giant_converter"} <= ON.keys()


def test_all_options_can_be_switched_off_and_on_again(full, bare):
    account = DeployedStacks()
    deploy_all(account, full.folder)
    needed = deploy_all(account, bare.folder)
    left = account.places - needed
    assert {name.rpartition("-")[2] for _, name in left} >= {
        *("api", "backup", "delivery", "replica")
    }
    deploy_all(account, full.folder)
    deploy_all(account, bare.folder)
    for place in left:
        account.delete(place)
    deploy_all(account, full.folder)


def test_the_order_that_is_planned_deletes_at_last_what_no_template_has(full, bare):
    templates = read_templates(bare.folder)
    account = DeployedStacks(read_templates(full.folder))
    left = account.places - templates.keys()
    steps = plan_steps(account, templates, sorted(left))
    assert [step.place for step in steps] == [*templates, *sorted(left)]
    assert account.places == templates.keys()


def test_no_rule_leads_to_what_was_switched_off(full, bare):
    gone = _paths(full) - _paths(bare)
    assert {"/auth/*", PHOTOS_PATTERN} <= gone
    assert not {path for path in _paths(bare) if path.startswith(("/auth", PHOTOS_PATTERN))}
    for step in ("AuthorizeVisitor", "ReadPages", "AnswerPhoto", "AnswerRequest"):
        assert step in json.dumps(full.stages)
        assert step not in json.dumps(bare.stages)


def test_what_serves_the_images_cannot_be_taken_from_under_the_edge(synthesize):
    account = DeployedStacks(read_templates(synthesize(KINDS["tasks"]).folder))
    templates = read_templates(synthesize(KINDS["serverless"]).folder)
    with pytest.raises(StackRefused, match="in use by vitrine-prod-"):
        plan_steps(account, templates, account.places - templates.keys())


def test_no_weak_reference_is_where_a_new_value_replaces_what_matters(full):
    """What a weak reference stands for is known when the stack is deployed, not before, so a
    change of it may be planned as a replacement."""
    for resource in full.resources:
        schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", resource.kind).schema
        fixed = {
            path.split("/")[2]
            for names in ("createOnlyProperties", "conditionalCreateOnlyProperties")
            for path in schema.get(names, ())
        }
        weak = {
            name
            for name, value in resource.properties.items()
            if any("Fn::GetStackOutput" in read for read in references(value))
        }
        if weak & fixed:
            assert resource.kind in REPLACED_ANYWAY, (resource.stage, resource.id, weak & fixed)


def _paths(templates):
    """Return the paths that the edge and the balancer have rules for."""
    return set(_found(templates.stages, "PathPattern")) | {
        value
        for values in _found(templates.stages, "PathPatternConfig")
        for value in values["Values"]
    }


def _found(part, key):
    if isinstance(part, dict):
        yield from ([part[key]] if key in part else ())
        part = list(part.values())
    if isinstance(part, list):
        for item in part:
            yield from _found(item, key)
