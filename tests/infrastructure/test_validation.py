"""Templates pass the checks of others: CloudFormation's linter, the CDK's rules, cdk-nag."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import aws_cdk as cdk
import pytest
from cdk_nag import AwsSolutionsChecks, NIST80053R5Checks, ServerlessChecks

from layers.build import PLATFORMS, build
from stacks.copies import Backup, Replica
from stacks.designs import ENVIRONMENTS, PROD
from stacks.environment_values import Api
from stacks.environments import Environment
from stacks.flavours import FLAVOURS, take_flavour
from stacks.service import add_stacks, new_app
from stacks.stage import REPOSITORY
from vitrine.settings.photos import PhotoOptions
from vitrine.settings.present import OcrOptions

pytestmark = pytest.mark.slow

ACKNOWLEDGED = {
    r"S10 .*/Site/": "The site's policy, TLS rule included, is in the edge stack.",
    r"IAM5\[Resource::\*\] ": "X-Ray, ECR's token and log delivery take no narrower resource; "
    "test_only_actions_without_a_resource_have_all_resources lists them.",
    r"IAM5\[Resource::.*(Masters|Site)[0-9A-F]{8}Arn[0-9A-F]{8}/\*\] ": "Any object of one bucket: "
    "keys are the curators'.",
    r"IAM5\[Resource::.*Records[0-9A-F]{8}Arn[0-9A-F]{8}/identifiers/\*\] ": "Any entry of the "
    "journal: identifiers are the curators'.",
    r"IAM5\[Resource::.*Records\w{8}Arn\w{8}/owners/\*\] ": "The marker of any collection, below "
    "whose identifier its masters lie.",
    r"IAM5\[Resource::.*Site\w{8}Arn\w{8}/(presentation|inside)/\*\] ": "Any manifest and any "
    "index of texts: identifiers are the curators'.",
    r"IAM5\[Resource::.*Site\w{8}Arn\w{8}/(objects|collections|o?embed)/\*\] ": "Any page: "
    "identifiers are the curators'.",
    r"IAM5\[Resource::.*Site[0-9A-F]{8}Arn[0-9A-F]{8}/home/\*\] .*-present/": ""
    "The first page in any language.",
    r"IAM5\[Resource::.*Site[0-9A-F]{8}Arn[0-9A-F]{8}/discovery/changes/\*\] .*-present/": ""
    "Any page of the stream of changes.",
    r"IAM5\[Resource::.*Site\w{8}Arn\w{8}/(search/index|inside/\w+|browse)/\*\] .*-present/": ""
    "Any file of both indexes and of what they were made of, and any list of a facet: their names "
    "are words and values.",
    r"IAM5\[Resource::.*Site[0-9A-F]{8}Arn[0-9A-F]{8}/(data|sitemaps)/\*\] .*-present/": ""
    "Any file of the dumps, and any sitemap: there are as many as there are manifests.",
    r"IAM5\[Resource::.*Records\w{8}Arn\w{8}/(objects|harvests|uses|texts)/\*\] .*-present/": (
        "Any entry of the journal of objects, any text of a page, any harvested collection, and "
        "any image, likewise."
    ),
    r"IAM5\[Resource::.*Records\w{8}Arn\w{8}/texts/(oc/ocr|read/)\*\] .*/ReadPagesRole/": ""
    "Any text that was read by OCR, and what became of the pages of any object.",
    r"IAM5\[Resource::.*AccessLogs.*/CloudFront/.*Distribution.*/\*\] .*/CountVisitsRole/": ""
    "Any file of one distribution's log: its name says its hour.",
    r"IAM5\[Resource::.*Records\w{8}Arn\w{8}/statistics/\*\] .*/CountVisitsRole/": "The figures "
    "of any day.",
    r"IAM5\[Resource::.*Records[0-9A-F]{8}Arn[0-9A-F]{8}/[a-z/-]+\*\] .*-api/": "Any object's "
    "journal, where it is used, the texts of its pages, and any answer to an idempotent request.",
    r"IAM5\[Resource::.*Records[0-9A-F]{8}Arn[0-9A-F]{8}/(metadata|migrations)/\*\] .*-migrate/": ""
    "Any image's metadata, and any migration's files.",
    r"IAM5\[Resource::arn:.*:execution:.*\] .*-migrate/": "The children of a map are executions of "
    "its own machine.",
    r"IAM5\[Resource::arn:.*:execution:.*\] .*-ingest/ReconcileRole/": "Any execution of one "
    "machine may be asked whether it runs.",
    r"IAM5\[Resource::<\w+\.Arn>:\*\] .*/(\w*Machine|SchedulerRoleForTarget\S*)/": "Any version of "
    "one function of ours.",
    r"IAM5\[Resource::.*Records[0-9A-F]{8}Arn[0-9A-F]{8}/(conversions|places)/\*\] .*-ingest/": ""
    "Any giant's request and outcome, and any slot.",
    r"IAM5\[Resource::arn:.*:task-definition/.*:\*\] .*-ingest/": "Any revision of one definition.",
    r"IAM5\[Resource::arn:.*:task/.*/\*\] .*-ingest/": "Any task of the giants' own cluster.",
    r"IAM5\[Resource::.*\] .*-curate/Curators/": "Curators work with any image; "
    "queues, services and stacks are named by CloudFormation, after ours.",
    r"IAM5\[Resource::.*(Masters|Records).*/\*\] .*/ReplicationRole/": "Any object of one bucket: "
    "S3 copies every version.",
    r"IAM5\[Resource::arn:aws:iam::.*:role/cdk-.*-\*\] .*-delivery/": "The CDK's own roles, in any "
    "region of the account.",
    r"IAM4\[.*AWSBackupServiceRolePolicy.*\] .*-backup/Role/": "AWS keeps the rights that its "
    "backups need in these policies, and adds to them.",
    r"IAM5\[Resource::.*(Masters|Records)\w{8}Arn\w{8}/(photos|photo-thumbnails)/\*\] .*-del": ""
    "Any photograph that somebody sends to the photo door: its name is its checksum.",
    r"(DDB3|DynamoDBInBackupPlan|DynamoDBPITREnabled) .*/Uses/": "Counters of one hour: after "
    "a loss, forms may send as many photographs again, and nobody is on the way in for longer.",
    r"APIG4 .*-deliver/Photos/": "Who sends a photograph has a signed form, which the "
    "door itself verifies: no page could sign a request for AWS.",
    r"APIG4 .*-deliver/Mcp/": "Its tools read what everybody may read, at public addresses.",
    r"L1 ": "Python 3.13 is pinned: the layer holds compiled parts for it.",
    r"SF1 vitrine-(?!dev|staging)": "Step Functions keeps the histories of executions; logs "
    "of each would cost more than the conversion.",
    r"SQS3 .*/(Failures|MissedReconciliations)/": "It is itself a queue of what failed, and has an "
    "alarm.",
    r"(SQS3|SQSRedrivePolicy) .*/Notifications/": "What nobody could follow is in the bucket for "
    "the next walk to find; an alarm rings if it is not read.",
    r"ECS2 ": "The variables are settings; there are no secrets in them.",
    r"ECS4 ": "Container Insights costs more than a small service; CPU scaling has its own metric.",
    r"CFR1 ": "A museum shows its images to the whole world.",
    r"CFR2 vitrine-serverless-": "A web ACL costs as much as all else together, and it only "
    "counts; reserved concurrency bounds what a flood can cost; `web_acl = true` adds one.",
    r"CFR3 ": "Access logs of the edge are standard logging v2, which the rule does not know "
    "(test_the_distribution_logs_to_the_bucket_of_access_logs).",
    r"CFR4 ": "Without a certificate CloudFront's own domain takes TLS 1.0; with one it is "
    "TLSv1.2_2025 (test_a_certificate_brings_the_domain_and_modern_tls), and a protected "
    "environment needs one (test_a_protected_environment_needs_a_certificate).",
    # NIST 800-53, revision 5
    r"ALBHttpToHttpsRedirection |ELBv2ACMCertificateRequired ": "The balancer is internal and "
    "answers CloudFront's VPC origin only, inside AWS; viewers speak TLS with CloudFront.",
    r"ALBWAFEnabled ": "The web ACL is at the edge, and nobody reaches the balancer but the edge "
    "(test_only_cloudfront_reaches_the_balancer).",
    r"CloudWatchLogGroupEncrypted ": "CloudWatch encrypts every log with a key of its own; ours "
    "would cost a dollar a month and protect from nobody who may read the log.",
    r"CloudWatchAlarmAction .*/(Tiles|Availability)/(Fast|Slow)(Long|Short)/": "A composite alarm "
    "of these four notifies (test_each_alarm_notifies_or_is_part_of_one_that_does).",
    r"ELBDeletionProtectionEnabled .*-(dev|staging)-": "What is not protected can be removed.",
    r"IAMNoInlinePolicy ": "A policy that belongs to one role is part of it, and gone with it.",
    r"LambdaConcurrency ": "Only the converters are many at once, and they have a limit; each "
    "other function's pace is set by its queue or by the converters.",
    r"LambdaDLQ ": "A function that Step Functions or a queue invokes has no use for dead letters "
    "of its own: the machine catches, and the queue has some. The schedule of Reconcile has too; "
    "what a schedule of UpdateCollections, WriteDumps or CountVisits loses comes again.",
    r"LambdaInsideVPC ": "The functions call AWS, with credentials that IAM bounds, and one of "
    "them the public internet, which our VPC has no way to; in it they would need five endpoints.",
    r"S3BucketReplicationEnabled .*/(AccessMasters|AccessLogs|Site|Records)/": "Access masters and "
    "the site can be made again; the journal of identifiers is versioned and never deleted.",
    r"S3BucketReplicationEnabled .*/Masters/": "A second region is the museum's choice "
    "(`replica`, test_copies_promises.py), and doubles the largest part of its bill; versions and "
    "the lack of any right to delete protect from what happens in one.",
    r"S3BucketReplicationEnabled .*-replica/": "It is the copy.",
    r"(S1|S3BucketLoggingEnabled) .*-replica/": "Only S3 writes to a copy, and nobody reads it "
    "before a loss; access logs cannot cross regions: they would need another bucket there.",
    r"SNSEncryptedKMS ": "SNS keeps what waits on encrypted disks, and sends it by mail; a key of "
    "the operator's (`key_arn`) encrypts it as well.",
    r"SNSRedrivePolicy .*@": "SNS tries an address for hours; where no mail arrives, a queue would "
    "be looked at by nobody, and CloudWatch keeps the history of each alarm.",
    r"S3BucketSSLRequestsOnly .*/Site/": "The site's policy, TLS rule included, is in the edge "
    "stack.",
    r"S3BucketVersioningEnabled .*/AccessLogs/": "Logs are written once, and expire.",
    r"S3DefaultEncryptionKMS ": "S3 encrypts with keys of its own; a customer's key would be paid "
    "by the request, and a key that is lost loses every master.",
    r"VPCDefaultSecurityGroupClosed ": "Nothing is in that group "
    "(test_nothing_is_in_the_default_security_group), which only a custom resource can empty.",
    # Serverless
    r"LambdaEventSourceMappingDestination ": "The queue itself has dead letters.",
    r"LambdaLatestVersion ": "Python 3.13 is pinned: the layer holds compiled parts for it.",
    r"SQSRedrivePolicy .*/(Failures|MissedReconciliations|DeadLetters)/": "It is itself the queue "
    "of what failed, and has an alarm.",
}
COPIES = {
    "replica": Replica(region="eu-central-1", locked_days=365),
    "backup": Backup(days=35, masters=True),
}
OWN = {
    "account": "111111111111",
    "domain_name": "iiif.example.org",
    "certificate_arn": "arn:aws:acm:us-east-1:111111111111:certificate/abc",
    "balancer_certificate_arn": "arn:aws:acm:eu-west-1:111111111111:certificate/def",
    "hosted_zone_id": "Z0123456789",
    "alarm_address": "images@example.org",
    "rejection_address": "curators@example.org",
    "monthly_budget_dollars": 250,
    "api": Api(access="jwt", issuer="https://login.example.org", audience=("vitrine",)),
    "github_repository": "museum/vitrine",
    "mcp": True,
}
"""Values that an environment of one's own adds; each brings resources."""
VARIANTS = {
    **{flavour: replace(take_flavour(PROD, flavour), architecture="arm64") for flavour in FLAVOURS},
    "copied": replace(PROD, **COPIES, **OWN, photos=PhotoOptions(), ocr=OcrOptions()),
    "serverless-copied": replace(
        take_flavour(PROD, "serverless"),
        architecture="x86_64",
        **COPIES,
        **OWN,
        photos=PhotoOptions(),
        ocr=OcrOptions(),
    ),
}
CHECKED: dict[str, Environment] = {
    **ENVIRONMENTS,
    **{name: replace(environment, name=name) for name, environment in VARIANTS.items()},
}
"""Environments: those that come with Vitrine, each flavour on arm64, and two flavours with all
options."""
OUTPUT = re.compile(r'\{"Fn::GetStackOutput":\{[^}]*"OutputName":"(\w+)"\}\}')
"""Reference to another stack's resource in a finding; reasons go by the output's name."""
PACKS = re.compile(r"^(AwsSolutions|NIST\.800\.53\.R5|Serverless)-")
"""Prefix of a rule's name: the pack that it is from."""
"""Why each finding, a regular expression over rule and construct path, is accepted."""


@pytest.fixture(scope="module")
def assembly(tmp_path_factory) -> Path:
    """The templates of every environment, made by one app, and what the CDK and cdk-nag found."""
    for architecture in PLATFORMS:
        build(architecture)
    folder = tmp_path_factory.mktemp("nag")
    app = new_app(outdir=str(folder))
    app.node.set_context("aws:cdk:disable-asset-staging", True)
    for environment in CHECKED.values():
        add_stacks(app, environment)
    packs = (AwsSolutionsChecks(app), NIST80053R5Checks(app), ServerlessChecks(app))
    cdk.Validations.of(app).add_plugins(*packs)
    with pytest.raises(RuntimeError, match=r"[Vv]alidation"):
        app.synth()
    return folder


def _of(name: str) -> str:
    """Return the expression of the beginning of names of an environment's stacks."""
    others = "".join(f"(?!{other}-)" for other in CHECKED if other.startswith(f"{name}-"))
    return f"vitrine-{others}{name}-"


@pytest.fixture(scope="module")
def complaints(assembly) -> list[str]:
    """The linter's lines about all templates: alone for each, it would load its schemas again."""
    # What is ignored stands in .cfnlintrc, each with its reason.
    result = subprocess.run(
        [
            *(Path(sys.executable).with_name("cfn-lint"), "--format", "parseable"),
            *sorted(assembly.glob("*.template.json")),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    lines = result.stdout.splitlines()
    assert not result.stderr
    assert bool(lines) == bool(result.returncode), result.returncode
    return lines


@pytest.mark.parametrize("name", CHECKED)
def test_templates_pass_the_linter_as_it_comes(name, assembly, complaints):
    mine = re.compile(f"{re.escape(str(assembly))}/{_of(name)}")
    assert len([file for file in assembly.glob("*.template.json") if mine.match(str(file))]) >= 10
    assert [line for line in complaints if mine.match(line)] == []


def test_every_template_and_complaint_of_the_linter_is_of_an_environment(assembly, complaints):
    any_of = re.compile(f"{re.escape(str(assembly))}/({'|'.join(map(_of, CHECKED))})")
    files = [str(file) for file in assembly.glob("*.template.json")]
    assert [line for line in (*files, *complaints) if not any_of.match(line)] == []


@pytest.fixture(scope="module")
def all_findings(assembly) -> list[str]:
    """The findings of the CDK's rules and cdk-nag."""
    report = json.loads((assembly / "validation-report.json").read_text())
    return [
        OUTPUT.sub(r"\1", f"{PACKS.sub('', violation['ruleName'])} {construct['constructPath']}")
        for plugin in report["pluginReports"]
        for violation in plugin["violations"]
        for construct in violation["violatingConstructs"]
    ]


@pytest.fixture(params=CHECKED)
def findings(request, all_findings) -> list[str]:
    """Those in one environment."""
    mine = re.compile(f" {_of(request.param)}")
    found = [finding for finding in all_findings if mine.search(finding)]
    assert found
    return found


def test_every_finding_is_of_an_environment(all_findings):
    names = "|".join(CHECKED)
    assert [item for item in all_findings if not re.search(rf" vitrine-({names})-", item)] == []


def test_every_finding_is_accepted_for_a_reason(findings):
    unexplained = [
        finding
        for finding in findings
        if not any(re.match(pattern, finding) for pattern in ACKNOWLEDGED)
    ]
    assert unexplained == []


def test_no_reason_outlives_its_finding(all_findings):
    stale = {
        pattern
        for pattern in ACKNOWLEDGED
        if not any(re.match(pattern, finding) for finding in all_findings)
    }
    assert stale == set()
