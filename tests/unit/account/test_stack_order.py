"""Stacks have their turn when CloudFormation lets them change."""

from typing import Any

import pytest

from vitrine.account.stack_order import DeployedStacks, Place, StackRefused, plan_steps

EAST, WEST = "us-east-1", "eu-west-1"


def place(name: str, region: str = WEST) -> Place:
    return region, name


def stack(*exports: str, reads: tuple[str, ...] = (), weakly: tuple[Place, ...] = ()) -> Any:
    """Return a template with these exports, which imports others or reads an output weakly."""
    return {
        "Resources": {
            "Topic": {
                "Type": "AWS::SNS::Topic",
                "Properties": {
                    "Tags": [
                        *({"Value": {"Fn::ImportValue": name}} for name in reads),
                        *(
                            {
                                "Value": {
                                    "Fn::GetStackOutput": {
                                        "StackName": name,
                                        "OutputName": "Out",
                                        "Region": region,
                                    }
                                }
                            }
                            for region, name in weakly
                        ),
                    ]
                },
            }
        },
        "Outputs": {
            "Out": {"Value": "1"},
            **{name: {"Value": {"Ref": name}, "Export": {"Name": name}} for name in exports},
        },
    }


BEFORE = {
    place("store"): stack("bucket", "table"),
    place("ingest"): stack("queue", reads=("bucket", "table")),
    place("edge"): stack(reads=("queue", "bucket")),
}


def order(new: dict[Place, Any], *left: Place, before: dict[Place, Any] = BEFORE) -> list[str]:
    account = DeployedStacks(before)
    steps = plan_steps(account, new, left)
    assert account.places == new.keys()
    return [f"{'' if step.template else '-'}{step.place[1]}" for step in steps]


def test_a_first_deployment_goes_in_the_order_of_what_is_read() -> None:
    assert order(BEFORE, before={}) == ["store", "ingest", "edge"]


def test_who_read_what_goes_has_its_turn_before() -> None:
    new = {
        place("store"): stack("bucket"),
        place("ingest"): stack(reads=("bucket",)),
        place("edge"): stack(reads=("bucket",)),
    }
    # The CDK's own order ends at its first stack.
    with pytest.raises(StackRefused, match="store: table is in use by ingest"):
        DeployedStacks(BEFORE).deploy(place("store"), new[place("store")])
    assert order(new) == ["edge", "ingest", "store"]


def test_a_stack_that_no_template_has_goes_last() -> None:
    new = {place("store"): stack("bucket", "table"), place("ingest"): stack(reads=("table",))}
    assert order(new, place("edge")) == ["store", "-edge", "ingest"]
    kept = new | {place("ingest"): BEFORE[place("ingest")]}
    assert order(kept, place("edge")) == ["store", "ingest", "-edge"]


def test_of_two_stacks_that_go_the_reader_goes_first() -> None:
    assert order({place("store"): stack()}, place("ingest"), place("edge")) == [
        *("-edge", "-ingest", "store")
    ]


def staying(*attributes: str, reads: tuple[str, ...] = ()) -> Any:
    """Return a template that exports attributes of a bucket that stays."""
    exports = {
        name: {"Value": {"Fn::GetAtt": ["Bucket", name]}, "Export": {"Name": name}}
        for name in attributes
    }
    made = stack(reads=reads)
    bucket = {"Bucket": {"Type": "AWS::S3::Bucket"}}
    return {"Resources": made["Resources"] | bucket, "Outputs": made["Outputs"] | exports}


@pytest.mark.parametrize("readers_first", [False, True])
def test_what_reads_another_export_of_what_stays_is_deployed_between_two_turns(
    readers_first: bool,
) -> None:
    before = {
        place("store"): staying("Name", "Arn"),
        place("ingest"): staying(reads=("Name",)),
        place("edge"): staying(reads=("Name", "Arn")),
    }
    new = {
        place("store"): staying("Arn", "DomainName"),
        place("ingest"): staying(reads=("DomainName",)),
        place("edge"): staying(reads=("Arn", "DomainName")),
    }
    if readers_first:
        new = dict(reversed(new.items()))
    account = DeployedStacks(before)
    steps = plan_steps(account, new)
    names = [step.place[1] for step in steps]
    assert (sorted(names), names[0], names[-1]) == (
        ["edge", "ingest", "store", "store"],
        "store",
        "store",
    )
    assert [step.kept for step in steps] == [("Name",), (), (), ()]
    again = DeployedStacks(before)
    for step in steps:
        assert step.template
        again.deploy(step.place, step.template)
    assert [step.template for step in steps[1:]] == [new[step.place] for step in steps[1:]]


def test_nothing_is_kept_of_what_goes_or_becomes_something_else() -> None:
    before = {place("store"): staying("Name"), place("ingest"): stack(reads=("Name",))}
    for resources in ({}, {"Bucket": {"Type": "AWS::SQS::Queue"}}):
        store = staying("Arn") | {"Resources": resources}
        new = {place("store"): store, place("ingest"): stack(reads=("Arn",))}
        with pytest.raises(StackRefused, match="Name is in use by ingest"):
            plan_steps(DeployedStacks(before), new)


def test_what_reads_the_new_and_the_old_has_no_order_and_the_reason_is_said() -> None:
    new = BEFORE | {
        place("store"): stack("bucket", "other"),
        place("ingest"): stack("queue", reads=("bucket", "other")),
    }
    with pytest.raises(StackRefused, match=r"ingest reads what is not there.*other"):
        plan_steps(DeployedStacks(BEFORE), new)


def test_a_reader_that_goes_first_waits_for_what_it_reads_now() -> None:
    new = {
        place("store"): stack("bucket"),
        place("ingest"): stack("queue", reads=("bucket", "key")),
        place("keys"): stack("key"),
        place("edge"): BEFORE[place("edge")],
    }
    assert order(new) == ["keys", "ingest", "store", "edge"]


def test_a_stack_left_behind_that_may_not_go_is_named() -> None:
    new = {place("store"): stack("bucket"), place("ingest"): stack(reads=("bucket",))}
    with pytest.raises(StackRefused, match="queue is in use by edge"):
        plan_steps(DeployedStacks(BEFORE), new)


def test_an_export_keeps_nothing_in_another_region() -> None:
    before = {place("store", EAST): stack("bucket"), **BEFORE}
    assert order(BEFORE, place("store", EAST), before=before)[-1] == "-store"


def test_a_weak_reference_needs_its_output_and_keeps_nothing() -> None:
    reader = {place("watch", EAST): stack(weakly=(place("store"),))}
    with pytest.raises(StackRefused, match="watch reads what is not there"):
        plan_steps(DeployedStacks(), reader)
    assert order({**reader, place("store"): stack()}, before={}) == ["store", "watch"]
    assert order(reader, place("store"), before={**reader, place("store"): stack()}) == [
        *("watch", "-store")
    ]
