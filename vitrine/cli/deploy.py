"""`vitrine deploy check`: what an account lacks before an environment can be deployed to it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated

import typer

from vitrine.account.checks import AccountFinding, check_account
from vitrine.account.needs import read_needs
from vitrine.bootstrap.account import account_of
from vitrine.bootstrap.environments import LOCAL, NotDescribed, place_of
from vitrine.cli.console.printing import print_error_lines, print_json, print_lines, show_waiting
from vitrine.cli.console.program import UNSUCCESSFUL, UNUSABLE, AsJson, new_group, stop
from vitrine.local.container_engine import find_engine_problem
from vitrine.local.synth import SynthFailed, synthesize

Environment = Annotated[
    str,
    typer.Option(
        "--environment",
        "-e",
        help="The environment to check, as environments.toml describes it.",
        metavar="NAME",
    ),
]
MARKS = {True: "ok", False: "to do"}
WIDTH = 19


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = new_group("Check an AWS account before a deployment to it.")
    group.command("check")(check)
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
    try:
        findings = []
        for finding in _find(environment):
            findings.append(finding)
            if not as_json:
                print_lines(_lines(finding))
    except NotDescribed as error:
        stop(str(error))
    except SynthFailed as error:
        print_error_lines(f"The templates of {environment} cannot be made: {error}")
        raise typer.Exit(UNUSABLE) from None
    if as_json:
        document = [finding.to_document() for finding in findings]
        print_json({"environment": environment, "findings": document})
    if not all(finding.well for finding in findings):
        raise typer.Exit(UNSUCCESSFUL)


def _find(environment: str) -> Iterator[AccountFinding]:
    if environment == LOCAL:
        stop("The service on this machine needs no account: name an environment on AWS.")
    region = place_of(environment).region
    with show_waiting(f"making the templates of {environment}"):
        assembly = synthesize(environment, own=True)
    needs = read_needs(assembly, region)
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
