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
