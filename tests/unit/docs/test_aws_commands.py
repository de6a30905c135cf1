"""What pages and messages have an operator type to AWS fits AWS's service models."""

import json
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

from docs.build.saved_runs import ROOT
from tests.unit.account.account_needs import NEEDS, NOW, ready
from tests.unit.docs.shell_calls import PAGES, operator_calls
from vitrine.account.checks import check_account
from vitrine.account.ports import Certificate

CHECKER = Path(__file__).with_name("aws_calls.py")
AWS = ROOT / ".build" / "awscli" / "bin" / "python"

STANDS_FOR = {
    "ARN": "arn:aws:acm:us-east-1:123456789012:certificate/1234",
    "ID": "6d4a8f2e-0000-4000-8000-000000000000",
}
"""Words in capitals, and what somebody puts in their place."""


def find_faults(lines: list[list[str]], folder: Path) -> list[str]:
    """Return what is wrong with each command line of AWS's; files that one names exist."""
    for name in {name for line in lines for name in re.findall(r"fileb?://(\S+)", " ".join(line))}:
        (folder / name).write_text("text")
    done = subprocess.run(
        [AWS, CHECKER],
        cwd=folder,
        env={
            "HOME": str(folder),
            "AWS_DEFAULT_REGION": "eu-west-1",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        },
        input=json.dumps([[STANDS_FOR.get(word, word) for word in line] for line in lines]),
        capture_output=True,
        text=True,
        check=True,
    )
    faults: list[str] = json.loads(done.stdout)
    return faults


def test_every_command_of_aws_on_a_page_fits_its_service_model(tmp_path: Path) -> None:
    named = [(page.name, call) for page in PAGES for call in operator_calls(page)]
    named = [(name, call) for name, call in named if call[0] == "aws"]
    assert len(named) > 30
    faults = find_faults([call for _, call in named], tmp_path)
    wrong = [
        f"{name}: {shlex.join(call)}: {fault}"
        for (name, call), fault in zip(named, faults, strict=True)
        if fault
    ]
    assert not wrong, "\n".join(wrong)


def test_every_command_that_the_check_of_an_account_advises_fits_its_service_model(
    tmp_path: Path,
) -> None:
    account = ready()
    account.quotas = {**account.quotas, ("fargate", "L-3032A538"): 6}
    names = ("images.example.org",)
    account.certificates = {
        key: Certificate(status="PENDING_VALIDATION", names=names) for key in account.certificates
    }
    needs = replace(NEEDS, domain_names=names)
    advice = " ".join(finding.remedy for finding in check_account(needs, account, NOW))
    lines = [shlex.split(line) for line in re.findall(r"`(aws [^`]+)`", advice)]
    assert {line[1] for line in lines} == {"acm", "service-quotas"}
    assert find_faults(lines, tmp_path) == [""] * len(lines)


WRONG = {
    "aws sts get-caller-identities": "Invalid choice",
    "aws acm describe-certificate": "--certificate-arn",
    "aws acm describe-certificate --certificate-arn ARN --name x": "--name",
    "aws acm request-certificate --domain-name a.org --validation-method DNSS": "DNSS is not in",
    "aws lambda update-event-source-mapping --uuid ID --batch-size many": "many",
    "aws ecs describe-services --services a --query services[0].event[:10].message": "no event",
    "aws logs describe-log-groups --query logGroups[?contains(name,'a')].arn": "no name",
    "aws events list-rules --query Rules[?Name": "--query",
}


def test_a_wrong_command_of_aws_would_be_noticed(tmp_path: Path) -> None:
    faults = find_faults([line.split() for line in WRONG], tmp_path)
    found = dict(zip(WRONG, faults, strict=True))
    assert [line for line, fault in WRONG.items() if fault not in found[line]] == []
