"""The commands of the page on deployment exist, with their options: AWS's, the CDK's and make's."""

import re
import shlex
import subprocess
import tomllib
from collections import Counter
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import pytest

from docs.build.command_tree import read_commands
from stacks.designs import PROD
from stacks.environment_values import Desk
from stacks.environments import Environment
from stacks.own_environments import FLAVOUR, NEW_ACCOUNT
from tests.unit.docs.shell_calls import PAGES, blocks_of, list_calls, operator_calls
from vitrine.settings.departments import Department
from vitrine.settings.environments_file import BASED_ON
from vitrine.settings.present import OcrOptions

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "howto" / "deploy-to-aws.md"
TEXT = PAGE.read_text()
CALLS = list_calls(blocks_of(PAGE))
CONTEXT = {"environment", "first", "loadtest"}
TABLES = (Environment, Desk, OcrOptions, Department)
OF_DEPARTMENT = "DepartmentMapRoomPolicyArn"
"""Output whose name is made of a department's."""
WALK = "tests/integration/local/test_howto_deploy.py"
RUN = {
    "make setup-synth": WALK,
    "make layers": WALK,
    "make synth": WALK,
    ". .venv/bin/activate": WALK,
    ".venv/bin/vitrine site publish": WALK,
    ".venv/bin/vitrine ingest": WALK,
    ".venv/bin/vitrine deploy check": "tests/integration/local/test_deploy_check.py",
    ".venv/bin/vitrine deploy stacks": WALK,
    "npx cdk bootstrap": WALK,
    "npx cdk deploy --all": WALK,
    "npx cdk diff": WALK,
    "npx cdk destroy": WALK,
    ".venv/bin/vitrine object ocr": "tests/unit/cli/test_object_ocr.py",
}
"""Commands, by how they begin, that a test runs."""
MODELLED = ("aws ", "npx cdk deploy -c")
"""Commands that are compared with what AWS's services and the CDK's command line accept."""
UNPROVEN = {
    "python3 scripts/renew_bases.py": "asks registries of the internet, in tests one of their own",
    "git pull": "is git's, and so is what is pulled",
    "git checkout": "is git's, and the revision yours",
}
"""Commands that are neither run nor compared, and why."""


def _standing(call: list[str]) -> str:
    """Return what is known of a command: run, modelled, unproven."""
    line = f"{' '.join(call)} "
    found = [
        name
        for name, known in (("run", RUN), ("modelled", MODELLED), ("unproven", UNPROVEN))
        if line.startswith(tuple(known))
    ]
    assert len(found) == 1, (line, found)
    return found[0]


def test_the_page_says_how_many_of_its_commands_were_run() -> None:
    count = Counter(map(_standing, CALLS))
    said = f"{len(CALLS)} commands on this page, tests run {count['run']}; {count['modelled']} are"
    text = " ".join(TEXT.split())
    assert said in text, said
    assert f"; {count['unproven']} are neither run nor compared" in text


def test_each_command_that_is_run_is_in_its_test() -> None:
    for words, path in RUN.items():
        line = [call for call in CALLS if " ".join(call).startswith(words)]
        assert line, f"the page has no {words}"
        if path != WALK:
            *_, last = words.split()
            assert f'"{last}"' in (ROOT / path).read_text()


def test_every_command_of_aws_names_its_region() -> None:
    """The page says that the region of the shell does not matter."""
    without = {call[1] for call in CALLS if call[0] == "aws" and "--region" not in call}
    assert without == {"iam", "sts"}


@cache
def _help(command: str) -> str:
    program = ["node", str(ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"), command, "--help"]
    return subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True).stdout


WORKFLOW = (ROOT / ".github" / "workflows" / "deploy.yml").read_text()
IN_WORKFLOW = [line.split("- run: ")[1] for line in WORKFLOW.splitlines() if "run: npx cdk" in line]


@pytest.mark.slow
def test_every_command_of_the_cdk_exists_with_its_options() -> None:
    calls = [call for page in PAGES for call in operator_calls(page) if call[0] == "npx"]
    assert len(calls) > 10
    for call in (*calls, *(shlex.split(line.partition("2>&1")[0]) for line in IN_WORKFLOW)):
        _compare_with_help(*call[2:])


def _compare_with_help(command: str, *words: str) -> None:
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


def test_every_stack_that_is_named_exists() -> None:
    text = "".join(path.read_text() for path in PAGES)
    stages = set(re.findall(r"stack-name vitrine-prod-(\w+)", text))
    stages |= set(re.findall(r"vitrine-prod-(\w+)", TEXT))
    assert stages
    sources = "".join(path.read_text() for path in (ROOT / "stacks").rglob("*.py"))
    for stage in stages:
        assert f'super().__init__(scope, "{stage}"' in sources, stage


def test_every_output_that_is_asked_for_exists() -> None:
    sources = "".join(path.read_text() for path in (ROOT / "stacks").rglob("*.py"))
    text = "".join(path.read_text() for path in PAGES)
    for name in set(re.findall(r"OutputKey=='(\w+)'", text)) - {OF_DEPARTMENT}:
        assert f'"{name}": ' in sources, name


def test_what_stands_in_the_environments_file_is_a_field() -> None:
    known = {item.name for one in TABLES for item in fields(one)}
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
