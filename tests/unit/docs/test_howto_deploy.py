"""The commands of the page on deployment exist, with their options: AWS's, the CDK's and make's."""

import re
import shlex
import subprocess
import tomllib
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import botocore.session
import pytest
from botocore import xform_name

from docs.build.command_tree import read_commands
from stacks.designs import PROD
from stacks.environments import Environment
from stacks.own_environments import FLAVOUR, NEW_ACCOUNT
from vitrine.settings import OcrOptions
from vitrine.settings.departments import Department
from vitrine.settings.environments_file import BASED_ON

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "howto" / "deploy-to-aws.md"
TEXT = PAGE.read_text()
BLOCKS = re.findall(r"^ *```sh\n(.*?)^ *```", TEXT, re.MULTILINE | re.DOTALL)
LINES = [line.strip() for block in BLOCKS for line in block.splitlines() if line.strip()]
OF_AWS = {"--region", "--query", "--output"}
"""Options that every command of AWS's has."""
CONTEXT = {"environment", "first"}


def _lines(program: str) -> list[str]:
    found = [line for line in LINES if line.startswith(program)]
    assert found, f"the page has no {program}"
    return found


@pytest.mark.parametrize("line", _lines("aws "))
def test_every_command_of_aws_exists_with_its_options(line: str) -> None:
    _, service, operation, *words = shlex.split(line)
    model = botocore.session.get_session().get_service_model(service)
    names = {xform_name(name, "-"): name for name in model.operation_names}
    shape = model.operation_model(names[operation]).input_shape
    known = {f"--{xform_name(name, '-')}" for name in shape.members} if shape else set()
    options = {word for word in words if word.startswith("--")}
    assert options <= known | OF_AWS
    required = {f"--{xform_name(name, '-')}" for name in shape.required_members} if shape else set()
    assert required <= options


@cache
def _help(command: str) -> str:
    program = ["node", str(ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"), command, "--help"]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True).stdout


WORKFLOW = (ROOT / ".github" / "workflows" / "deploy.yml").read_text()
IN_WORKFLOW = [line.split("- run: ")[1] for line in WORKFLOW.splitlines() if "run: npx cdk" in line]


@pytest.mark.slow
@pytest.mark.parametrize("line", [*_lines("npx cdk"), *IN_WORKFLOW])
def test_every_command_of_the_cdk_exists_with_its_options(line: str) -> None:
    _, _, command, *words = shlex.split(line.partition("2>&1")[0])
    text = _help(command)
    for word in words:
        if word.startswith("-"):
            option = re.escape(word.partition("=")[0])
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", text), f"cdk {command} has no {word}"
    given = {words[at + 1].partition("=")[0] for at, word in enumerate(words) if word == "-c"}
    assert given <= CONTEXT


def test_what_is_passed_to_the_app_is_what_it_reads() -> None:
    app = (ROOT / "app.py").read_text()
    for name in CONTEXT:
        assert f'("{name}")' in app, name


@pytest.mark.parametrize("line", _lines("make "))
def test_every_target_of_make_exists(line: str) -> None:
    target = line.split()[1]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_every_stack_that_is_named_exists() -> None:
    stages = re.findall(r"vitrine-prod-(\w+)", TEXT)
    assert stages
    sources = "".join(path.read_text() for path in (ROOT / "stacks").glob("*.py"))
    for stage in stages:
        assert f'super().__init__(scope, "{stage}"' in sources, stage


def test_every_output_that_is_asked_for_exists() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "stacks").glob("*.py"))
    for name in re.findall(r"OutputKey=='(\w+)'", TEXT):
        assert f'"{name}": ' in sources, name


def test_what_stands_in_the_environments_file_is_a_field() -> None:
    known = {item.name for one in (Environment, OcrOptions, Department) for item in fields(one)}
    known |= {NEW_ACCOUNT, FLAVOUR, BASED_ON}
    shown = re.findall(r"`(\w+) = ", TEXT)
    assert shown
    assert set(shown) <= known
    commented = (ROOT / "environments.toml").read_text()
    proposed = re.findall(r"^# (\w+ = .*)", commented, re.MULTILINE)
    for line in proposed:
        assert tomllib.loads(line).keys() <= known | {"access", "languages", "rights_uri"}, line


def test_an_environment_with_the_tables_of_the_page_can_be_made() -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    tables = [tomllib.loads(block)["prod"] for block in blocks]
    assert [*tables[0]] == ["ocr"]
    assert replace(PROD, ocr=OcrOptions(**tables[0]["ocr"])).ocr
    assert OcrOptions(memory_mebibytes=int(_shown("memory_mebibytes"))).memory_mebibytes


def test_what_the_page_says_of_ocr_is_what_was_measured() -> None:
    decision = (ROOT / "docs" / "adr" / "0039-ocr-by-the-environment.md").read_text()
    for words in ("61 cents a month", "137 MB", "20 cents", "three alarms", "337"):
        assert words in TEXT, words
        assert words in decision, words


def _shown(field: str) -> str:
    found = re.search(rf"`{field} = (\w+)`", TEXT)
    assert found, field
    return found[1]


def test_the_steps_of_the_table_are_the_sections_of_the_page() -> None:
    steps = re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE)
    sections = re.findall(r"^## (\d+)\. ", TEXT, re.MULTILINE)
    assert steps == sections == [str(number) for number in range(1, 13)]


def test_the_check_is_a_command() -> None:
    assert ("vitrine", "deploy", "check") in read_commands()
