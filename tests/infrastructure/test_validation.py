"""Templates pass the checks of others: CloudFormation's linter, the CDK's rules, cdk-nag."""

import json
import re
import subprocess
import sys
from pathlib import Path

import aws_cdk as cdk
import pytest
from cdk_nag import AwsSolutionsChecks

from layers.build import build
from stacks.designs import ENVIRONMENTS
from stacks.service import add_stacks, new_app
from stacks.stage import REPOSITORY

pytestmark = pytest.mark.slow

ACKNOWLEDGED = {
    r"S10 .*/Site/": "The site's policy, TLS rule included, is in the edge stack.",
    r"IAM5\[Resource::\*\] ": "X-Ray, ECR's token and log delivery take no narrower resource; "
    "test_only_actions_without_a_resource_have_all_resources lists them.",
    r"IAM5\[Resource::.*(Masters|Site)[0-9A-F]{8}Arn[0-9A-F]{8}/\*\] ": "Any object of one bucket: "
    "keys are the curators'.",
    r"IAM5\[Resource::.*Records[0-9A-F]{8}Arn[0-9A-F]{8}/identifiers/\*\] ": "Any entry of the "
    "journal: identifiers are the curators'.",
    r"IAM5\[Resource::.*Records[0-9A-F]{8}Arn[0-9A-F]{8}/(metadata|migrations)/\*\] .*-migrate/": ""
    "Any image's metadata, and any migration's files.",
    r"IAM5\[Resource::arn:.*:execution:.*\] .*-migrate/": "The children of a map are executions of "
    "its own machine.",
    r"IAM5\[Resource::arn:.*:execution:.*\] .*-ingest/ReconcileRole/": "Any execution of one "
    "machine may be asked whether it runs.",
    r"IAM5\[Resource::<\w+\.Arn>:\*\] .*/\w*Machine/": "Any version of one function of ours.",
    r"IAM5\[Resource::.*Records[0-9A-F]{8}Arn[0-9A-F]{8}/(conversions|places)/\*\] .*-ingest/": ""
    "Any giant's request and outcome, and any slot.",
    r"IAM5\[Resource::arn:.*:task-definition/.*:\*\] .*-ingest/": "Any revision of one definition.",
    r"IAM5\[Resource::arn:.*:task/.*/\*\] .*-ingest/": "Any task of the giants' own cluster.",
    r"L1 ": "Python 3.13 is pinned: the layer holds compiled parts for it.",
    r"SF1 .*-(prod)-": "Executions' histories are kept by Step Functions; logs of each would "
    "cost more than the conversion.",
    r"SQS3 .*/Failures/": "It is itself the queue of failures, and has an alarm.",
    r"VPC7 ": "No route leads out, and security groups let in CloudFront only; nginx logs "
    "every request.",
    r"ECS2 ": "The variables are settings; there are no secrets in them.",
    r"ECS4 ": "Container Insights costs more than a small service; CPU scaling has its own metric.",
    r"ELB2 ": "nginx, right behind it, logs every request.",
    r"CFR1 ": "A museum shows its images to the whole world.",
    r"CFR3 ": "Access logs of the edge are standard logging v2, which the rule does not know "
    "(test_the_distribution_logs_to_the_bucket_of_access_logs).",
    r"CFR4 ": "Without a certificate CloudFront's own domain takes TLS 1.0; with one it is "
    "TLSv1.2_2021 (test_a_certificate_brings_the_domain_and_modern_tls).",
}
"""Why each finding, a regular expression over rule and construct path, is accepted."""


def test_templates_pass_the_linter_as_it_comes(templates):
    # No flag: what is ignored stands in .cfnlintrc, each with its reason.
    result = subprocess.run(
        [Path(sys.executable).with_name("cfn-lint"), *templates.files],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture(scope="module")
def all_findings(tmp_path_factory) -> list[str]:
    """The findings of the CDK's rules and cdk-nag, in one app that holds every environment."""
    build("x86_64")
    folder = tmp_path_factory.mktemp("nag")
    app = new_app(outdir=str(folder))
    app.node.set_context("aws:cdk:disable-asset-staging", True)
    for environment in ENVIRONMENTS.values():
        add_stacks(app, environment)
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    with pytest.raises(RuntimeError, match=r"[Vv]alidation"):
        app.synth()
    report = json.loads((folder / "validation-report.json").read_text())
    return [
        f"{violation['ruleName'].removeprefix('AwsSolutions-')} {construct['constructPath']}"
        for plugin in report["pluginReports"]
        for violation in plugin["violations"]
        for construct in violation["violatingConstructs"]
    ]


@pytest.fixture(params=ENVIRONMENTS)
def findings(request, all_findings) -> list[str]:
    """Those in one environment."""
    found = [finding for finding in all_findings if f" vitrine-{request.param}-" in finding]
    assert found
    return found


def test_every_finding_is_of_an_environment(all_findings):
    names = "|".join(ENVIRONMENTS)
    assert [item for item in all_findings if not re.search(rf" vitrine-({names})-", item)] == []


def test_every_finding_is_accepted_for_a_reason(findings):
    unexplained = [
        finding
        for finding in findings
        if not any(re.match(pattern, finding) for pattern in ACKNOWLEDGED)
    ]
    assert unexplained == []


def test_no_reason_outlives_its_finding(findings):
    # Only prod does not log histories of executions.
    stale = {
        pattern
        for pattern in ACKNOWLEDGED
        if not any(re.match(pattern, finding) for finding in findings)
    }
    assert stale <= {r"SF1 .*-(prod)-"}
