"""`vitrine deploy`: what an account lacks for an environment, and its stacks in a working order."""

import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from vitrine.account.checks import AccountFinding, check_account
from vitrine.account.needs import Needs, read_needs
from vitrine.account.own_stacks import find_stacks, split_data
from vitrine.account.ports import Account, AccountSilent, StackStays
from vitrine.account.stack_order import (
    DeployedStacks,
    Place,
    StackRefused,
    Step,
    Template,
    plan_steps,
)
from vitrine.bootstrap.account import account_of
from vitrine.bootstrap.environments import LOCAL, NotDescribed, place_of
from vitrine.bootstrap.local_service import REPOSITORY
from vitrine.cli.console.printing import print_error_lines, print_json, print_lines, show_waiting
from vitrine.cli.console.program import UNSUCCESSFUL, UNUSABLE, AsJson, new_group, stop
from vitrine.local.assembly import read_templates, replace_template
from vitrine.local.container_engine import find_engine_problem
from vitrine.local.synth import SynthFailed, node_environment, synthesize

Environment = Annotated[
    str,
    typer.Option(
        "--environment",
        "-e",
        help="The environment, as environments.toml describes it.",
        metavar="NAME",
    ),
]
MARKS = {True: "ok", False: "to do"}
WIDTH = 19


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Check an AWS account before a deployment to it, and deploy.")
    group.command("check")(check)
    group.command("stacks")(deploy_stacks)
    app.add_typer(group, name="deploy")


def check(environment: Environment, as_json: AsJson = False) -> None:
    """Ask the AWS account whether it can take an environment: a line for each thing it needs.

    It changes nothing. The templates are made first, and what they need is compared with what the
    account has: credentials, the CDK's bootstrap in each region, quotas, CloudFront's prefix list,
    the certificate; and a container engine on this machine. Stacks of the environment that no
    template has any more are named, in every region, with the command that deletes each.

    Exit code 0: it can be deployed. 1: something is to be done first, or could not be found out.
    2: the environment cannot be synthesized.
    """
    findings = []
    for finding in _find(environment, *_make_templates(environment)):
        findings.append(finding)
        if not as_json:
            print_lines(_lines(finding))
    if as_json:
        document = [finding.to_document() for finding in findings]
        print_json({"environment": environment, "findings": document})
    if not all(finding.well for finding in findings):
        raise typer.Exit(UNSUCCESSFUL)


def deploy_stacks(
    environment: Environment,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without, only say what.")] = False,
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete stacks that no template has any more.")
    ] = False,
) -> None:
    """Deploy an environment's stacks, each when CloudFormation lets it change.

    `cdk deploy --all` deploys a stack after those that it reads. What another stack still reads
    cannot be taken away, so then that one is deployed first; a stack that has to give it both the
    old and the new is deployed twice, first with both. `--delete` deletes at last, in every
    region, what belonged to options that were switched off, protected or not; buckets and vaults
    with data stay, and what does not stay is named.

    Exit code 0: it is deployed, or can be. 1: there is no order that works, or a step failed.
    2: the environment cannot be synthesized.
    """
    assembly, needs = _make_templates(environment)
    account = account_of(environment)
    try:
        own = find_stacks(needs, account)
        deployed = {place: account.template(*place) for place in own.deployed}
        steps = plan_steps(
            DeployedStacks(deployed), read_templates(assembly), own.left if delete else ()
        )
        for number, step in enumerate(steps, start=1):
            print_lines([_describe_step(number, step, deployed)])
            if yes:
                _take_step(step, assembly, account)
    except (AccountSilent, StackRefused, StackStays) as error:
        print_error_lines(str(error))
        raise typer.Exit(UNSUCCESSFUL) from None
    if own.left and not delete:
        print_lines(f"{name} in {region} runs on: --delete deletes it" for region, name in own.left)
    if not yes:
        print_lines(["Nothing was changed: --yes does it."])


def _describe_step(number: int, step: Step, deployed: Mapping[Place, Template]) -> str:
    region, name = step.place
    if step.template is not None:
        others = f", with {len(step.kept):,} exports that others still import" if step.kept else ""
        return f"{number:2}  deploy {name} in {region}{others}"
    parts = zip(("loses", "keeps"), split_data(deployed[step.place]), strict=True)
    data = "".join(f"; {word} {', '.join(types)}" for word, types in parts if types)
    return f"{number:2}  delete {name} in {region}{data}"


def _take_step(step: Step, assembly: Path, account: Account) -> None:
    """Deploy or delete a stack. Raises StackStays, AccountSilent, Exit if the CDK fails."""
    region, name = step.place
    if step.template is None:
        account.delete_stack(region, name)
        return
    with TemporaryDirectory(dir=assembly.parent) as folder:
        if step.kept:
            copy = Path(folder) / "assembly"
            replace_template(assembly, name, step.template, copy)
            assembly = copy
        command = ["npx", "cdk", "deploy", "--app", str(assembly), "--exclusively", name]
        failed = subprocess.run(command, cwd=REPOSITORY, env=node_environment()).returncode
    if failed:
        print_error_lines(f"{name} was not deployed; repeat the command when the cause is gone.")
        raise typer.Exit(UNSUCCESSFUL)


def _make_templates(environment: str) -> tuple[Path, Needs]:
    """Make the templates; return their folder, and what they need."""
    if environment == LOCAL:
        stop("The service on this machine needs no account: name an environment on AWS.")
    try:
        region = place_of(environment).region
        with show_waiting(f"making the templates of {environment}"):
            assembly = synthesize(environment, own=True)
    except NotDescribed as error:
        stop(str(error))
    except SynthFailed as error:
        print_error_lines(f"The templates of {environment} cannot be made: {error}")
        raise typer.Exit(UNUSABLE) from None
    return assembly, read_needs(assembly, region)


def _find(environment: str, assembly: Path, needs: Needs) -> Iterator[AccountFinding]:
    yield from check_account(needs, account_of(environment), datetime.now(UTC))
    found, remedy = find_engine_problem(needs.architecture)
    subject = "container engine"
    yield AccountFinding(
        subject=subject, found=f"{found}, for {needs.images} images", remedy=remedy
    )


def _lines(finding: AccountFinding) -> Iterator[str]:
    mark = MARKS[finding.well] if finding.known else "?"
    yield f"{mark:5}  {finding.subject:{WIDTH}}  {finding.found}"
    if finding.remedy:
        yield f"{'':5}  {'':{WIDTH}}  → {finding.remedy}"
