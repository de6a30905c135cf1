"""Reading a cloud assembly: order, files, placeholders."""

import json
from pathlib import Path

import pytest

from vitrine.local.assembly import FileAsset, fill_in_outputs, read_assembly, zip_folder

STACK = "aws:cloudformation:stack"


def write_assembly(folder: Path) -> None:
    artifacts = {
        "edge": {
            "type": STACK,
            "environment": "aws://000000000000/us-east-1",
            "properties": {"templateFile": "edge.template.json", "stackName": "vitrine-edge"},
            "dependencies": ["store", "edge.assets"],
        },
        "edge.assets": {"type": "cdk:asset-manifest", "properties": {"file": "edge.assets.json"}},
        "store": {
            "type": STACK,
            "environment": "aws://unknown-account/unknown-region",
            "properties": {"templateFile": "store.template.json"},
        },
        "Tree": {"type": "cdk:tree", "properties": {"file": "tree.json"}},
    }
    (folder / "manifest.json").write_text(json.dumps({"artifacts": artifacts}))
    destination = {"bucketName": "assets-${AWS::AccountId}-${AWS::Region}", "objectKey": "a.zip"}
    files = {
        "a": {"source": {"path": "asset.a", "packaging": "zip"}, "destinations": {"x": destination}}
    }
    images = {"i": {"source": {"directory": "asset.i"}, "destinations": {}}}
    (folder / "edge.assets.json").write_text(json.dumps({"files": files, "dockerImages": images}))


def test_a_stack_comes_after_those_it_depends_on(tmp_path: Path) -> None:
    write_assembly(tmp_path)
    names = [stack.name for stack in read_assembly(tmp_path, "111122223333", "eu-west-1")]
    assert names == ["store", "vitrine-edge"]


def test_what_the_assembly_leaves_open_is_filled_in(tmp_path: Path) -> None:
    write_assembly(tmp_path)
    store, edge = read_assembly(tmp_path, "111122223333", "eu-west-1")
    assert (store.region, edge.region) == ("eu-west-1", "us-east-1")


def test_file_assets_are_found_and_images_left_out(tmp_path: Path) -> None:
    write_assembly(tmp_path)
    edge = read_assembly(tmp_path, "111122223333", "eu-west-1")[1]
    assert edge.assets == (
        FileAsset(
            source=tmp_path / "asset.a",
            zipped=True,
            bucket="assets-111122223333-us-east-1",
            key="a.zip",
        ),
    )


def test_equal_folders_give_equal_archives(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        for file in ("b.py", "sub/a.py"):
            (tmp_path / name / file).write_text(file)
        zip_folder(tmp_path / name, tmp_path / f"{name}.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_outputs_of_other_stacks_are_filled_in_wherever_they_are_read() -> None:
    read = {"Fn::GetStackOutput": {"StackName": "store", "OutputName": "Name", "Region": "x"}}
    template = {"Resources": {"One": {"Name": read, "Text": {"Fn::Join": ["", ["a-", read]]}}}}
    assert fill_in_outputs(template, {"store": {"Name": "masters"}}) == {
        "Resources": {"One": {"Name": "masters", "Text": {"Fn::Join": ["", ["a-", "masters"]]}}}
    }


def test_an_output_that_no_stack_has_is_missed() -> None:
    read = {"Fn::GetStackOutput": {"StackName": "store", "OutputName": "Other"}}
    with pytest.raises(KeyError, match="Other"):
        fill_in_outputs([read], {"store": {"Name": "masters"}})
