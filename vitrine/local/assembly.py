"""Reader of what `cdk synth` writes: the stacks of a cloud assembly, in order, with their files.

The format is the CDK's cloud assembly (aws-cdk-lib, package cloud-assembly-schema). Docker
images are left out: on one machine the containers run as processes.
"""

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Outputs = dict[str, str]
"""A stack's outputs by logical id."""
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
"""One date for every entry, so that equal folders give equal archives."""


@dataclass(frozen=True, kw_only=True)
class FileAsset:
    """A file or folder that a template refers to, and the object it is uploaded as."""

    source: Path
    zipped: bool
    bucket: str
    key: str


@dataclass(frozen=True, kw_only=True)
class Stack:
    """One stack of the assembly; `region` is empty if the assembly leaves it open."""

    name: str
    region: str
    template: Path
    assets: tuple[FileAsset, ...]


def read_assembly(folder: Path, account: str, region: str) -> list[Stack]:
    """Return the stacks in `folder`, each after those it depends on.

    `account` and `region` are used where the assembly leaves them open. Raises FileNotFoundError
    if there is no assembly.
    """
    artifacts = json.loads((folder / "manifest.json").read_text())["artifacts"]
    stacks: dict[str, Stack] = {}

    def visit(name: str) -> None:
        artifact = artifacts[name]
        for dependency in artifact.get("dependencies", ()):
            visit(dependency)
        if artifact["type"] == "aws:cloudformation:stack" and name not in stacks:
            stacks[name] = _read_stack(folder, name, artifacts, account, region)

    for name in artifacts:
        visit(name)
    return list(stacks.values())


def read_templates(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the templates in `folder` by region and name, each after those it depends on."""
    stacks = read_assembly(folder, "", "")
    return {(stack.region, stack.name): json.loads(stack.template.read_text()) for stack in stacks}


def replace_template(folder: Path, stack: str, template: Mapping[str, Any], copy: Path) -> None:
    """Write a copy of the assembly in `folder` in which one stack has another template.

    The CDK's command line uploads a template under the hash by which the stack's list of assets and
    the manifest name it, so both get the new one's.
    """
    shutil.copytree(folder, copy, copy_function=os.link)
    manifest = json.loads((folder / "manifest.json").read_text())["artifacts"]
    properties = manifest[stack]["properties"]
    before = Path(properties["stackTemplateAssetObjectUrl"]).stem
    text = json.dumps(template, indent=1)
    after = hashlib.sha256(text.encode()).hexdigest()
    _write_anew(copy / properties["templateFile"], text)
    for name in ("manifest.json", manifest[f"{stack}.assets"]["properties"]["file"]):
        _write_anew(copy / name, (folder / name).read_text().replace(before, after))


def _write_anew(path: Path, text: str) -> None:
    """Write a file of its own in the place of one that another folder has too."""
    path.unlink()
    path.write_text(text)


def fill_in_outputs(part: Any, outputs: Mapping[str, Outputs]) -> Any:
    """Return a part of a template with `Fn::GetStackOutput` replaced by what it stands for.

    CloudFormation does that itself, the emulator does not. `outputs` are those of each stack by its
    name. Raises KeyError if there is no such output.
    """
    match part:
        case {"Fn::GetStackOutput": {"StackName": stack, "OutputName": name}}:
            return outputs[stack][name]
        case dict():
            return {key: fill_in_outputs(value, outputs) for key, value in part.items()}
        case list():
            return [fill_in_outputs(value, outputs) for value in part]
        case _:
            return part


def _read_stack(
    folder: Path, name: str, artifacts: dict[str, Any], account: str, region: str
) -> Stack:
    artifact = artifacts[name]
    declared = artifact["environment"].rpartition("/")[2]
    own_region = region if declared.startswith("unknown") else declared
    manifests = [
        folder / artifacts[dependency]["properties"]["file"]
        for dependency in artifact.get("dependencies", ())
        if artifacts[dependency]["type"] == "cdk:asset-manifest"
    ]
    return Stack(
        name=artifact["properties"].get("stackName", name),
        region=own_region,
        template=folder / artifact["properties"]["templateFile"],
        assets=tuple(
            asset for manifest in manifests for asset in _list_assets(manifest, account, own_region)
        ),
    )


def _list_assets(manifest: Path, account: str, region: str) -> list[FileAsset]:
    def fill(text: str) -> str:
        return (
            text.replace("${AWS::AccountId}", account)
            .replace("${AWS::Region}", region)
            .replace("${AWS::Partition}", "aws")
        )

    return [
        FileAsset(
            source=manifest.parent / entry["source"]["path"],
            zipped=entry["source"]["packaging"] == "zip",
            bucket=fill(destination["bucketName"]),
            key=fill(destination["objectKey"]),
        )
        for entry in json.loads(manifest.read_text()).get("files", {}).values()
        for destination in entry["destinations"].values()
    ]


def zip_folder(folder: Path, archive: Path) -> None:
    """Pack the files below `folder`; equal content gives equal bytes."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), ZIP_EPOCH)
            entry.external_attr = path.stat().st_mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, path.read_bytes(), compresslevel=1)
