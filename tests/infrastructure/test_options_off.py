"""What was switched on can be switched off: all options at once, and on again.

An export that a single option takes away goes with all of them, too, so this finds what
test_each_option_off.py finds at night, which names the option.
"""

import hashlib
import json
import subprocess
from collections import Counter
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER

from stacks.environment_values import EnvironmentValues
from tests.infrastructure.deployed_stacks import deploy_all
from tests.infrastructure.options import KEPT, KINDS, OFF, ON, without
from vitrine.account.stack_order import DeployedStacks, StackRefused, plan_steps, references
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.edge.policies import PHOTOS_PATTERN
from vitrine.local.assembly import read_templates, replace_template

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


def test_an_upgrade_that_renames_every_export_has_an_order(full):
    """Each stack that others import from has two turns, as its resources stay."""
    templates = read_templates(full.folder)
    before = {place: _rename_exports(template) for place, template in templates.items()}
    steps = plan_steps(DeployedStacks(before), templates)
    exporting = {
        place
        for place, template in templates.items()
        if any("Export" in output for output in template.get("Outputs", {}).values())
    }
    assert exporting
    turns = Counter(step.place for step in steps)
    assert turns == {place: 2 if place in exporting else 1 for place in templates}
    account = DeployedStacks(before)
    for step in steps:
        account.deploy(step.place, step.template)
        exported = step.template.get("Outputs", {})
        assert {*_references_within(exported)} <= step.template["Resources"].keys()


def test_a_stack_is_deployed_from_a_copy_that_the_cdk_reads(synthesize, tmp_path):
    folder, copy = synthesize(KINDS["tasks"]).folder, tmp_path / "copy"
    (place, template) = next(
        (place, one) for place, one in read_templates(folder).items() if place[1].endswith("-store")
    )
    before = {path: path.read_bytes() for path in folder.glob("*.json")}
    replace_template(folder, place[1], template | {"Description": "changed"}, copy)
    assert {path: path.read_bytes() for path in folder.glob("*.json")} == before
    assert read_templates(copy)[place] == template | {"Description": "changed"}
    unchanged = {other: one for other, one in read_templates(folder).items() if other != place}
    assert unchanged.items() <= read_templates(copy).items()
    uploaded = json.loads((copy / f"{place[1]}.assets.json").read_text())["files"]
    (name,) = [key for key, one in uploaded.items() if "template" in one["source"]["path"]]
    written = (copy / f"{place[1]}.template.json").read_bytes()
    assert hashlib.sha256(written).hexdigest() == name
    cdk = [REPOSITORY / "node_modules/.bin/cdk", "list", "--app", copy, "--long", "--json"]
    listed = json.loads(subprocess.run(cdk, capture_output=True, check=True, text=True).stdout)
    assert place[1] in {one["name"] for one in listed}


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


def _rename_exports(part):
    """Return a template whose exports, and those that it imports, have other names."""
    match part:
        case {"Fn::ImportValue": name}:
            return {"Fn::ImportValue": f"{name}-before"}
        case {"Outputs": outputs}:
            renamed = {
                f"{key}Before" if "Export" in output else key: output
                | ({"Export": {"Name": output["Export"]["Name"] + "-before"}})
                if "Export" in output
                else output
                for key, output in outputs.items()
            }
            rest = {key: _rename_exports(value) for key, value in part.items()}
            return rest | {"Outputs": renamed}
        case dict():
            return {key: _rename_exports(value) for key, value in part.items()}
        case list():
            return [_rename_exports(item) for item in part]
    return part


def _references_within(part):
    """Yield the resources that outputs refer to."""
    for name in _found(part, "Ref"):
        if not name.startswith("AWS::"):
            yield name
    for name, _ in _found(part, "Fn::GetAtt"):
        yield name


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
