"""The stack of load generators: only on request, closed to all, and it may only put results."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Match, Template
from cdk_nag import AwsSolutionsChecks

from layers.build import build
from loadtest.fleet import fargate_fleet as fleet
from stacks.constructs.load_generators import CHANNEL, CONTAINER, USER
from stacks.designs import ENVIRONMENTS
from stacks.loadtest import RESULTS, LoadTestStack
from stacks.service import new_app

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]
ACKNOWLEDGED = {
    r"S1 ": "Results of load tests are no secret, and logging would need another bucket.",
    r"VPC7 ": "Only load generators run in it, and only during a load test.",
    r"IAM5\[Resource::\*\] ": "ECR's token takes no narrower resource.",
    r"IAM5\[Resource::.*Runs[0-9A-F]{8}.*results/\*\] ": "Any result: each run writes its own.",
    r"ECS4 ": "Container Insights costs more than a load test.",
}
"""Why each finding of cdk-nag is accepted."""


@pytest.fixture(scope="module", params=ENVIRONMENTS)
def stack(request, tmp_path_factory) -> LoadTestStack:
    app = new_app(
        outdir=str(tmp_path_factory.mktemp("loadtest")), builtin_cloud_formation_validation=False
    )
    return LoadTestStack(app, environment=ENVIRONMENTS[request.param])


@pytest.fixture(scope="module")
def template(stack) -> Template:
    return Template.from_stack(stack)


def properties(template, kind):
    return [found["Properties"] for found in template.find_resources(kind).values()]


def test_a_run_starts_one_container_of_one_core_that_can_write_to_its_volume_only(template):
    template.has_resource_properties(
        "AWS::ECS::TaskDefinition",
        {
            "Cpu": "1024",
            "Memory": "2048",
            "RequiresCompatibilities": ["FARGATE"],
            "ContainerDefinitions": [
                Match.object_like({"Name": CONTAINER, "ReadonlyRootFilesystem": True, "User": USER})
            ],
        },
    )


def test_nothing_runs_by_itself(template):
    template.resource_count_is("AWS::ECS::Service", 0)
    template.resource_count_is("AWS::EC2::NatGateway", 0)
    template.resource_count_is("AWS::EC2::VPCEndpoint", 0)
    template.resource_count_is("AWS::ECS::TaskDefinition", 1)


def test_generators_may_put_results_and_nothing_else(template):
    roles = {
        policy["Roles"][0]["Ref"]: policy["PolicyDocument"]["Statement"]
        for policy in properties(template, "AWS::IAM::Policy")
    }
    (statements,) = [found for role, found in roles.items() if "TaskRole" in role]
    (statement,) = statements
    assert (statement["Effect"], statement["Action"]) == ("Allow", "s3:PutObject")
    assert json.dumps(statement["Resource"]).count(f"/{RESULTS}*") == 1
    for found in roles.values():
        for item in found:
            actions = item["Action"] if isinstance(item["Action"], list) else [item["Action"]]
            assert not [action for action in actions if "*" in action]


def test_nobody_gets_in_but_workers_to_their_master(template):
    (group,) = properties(template, "AWS::EC2::SecurityGroup")
    assert "SecurityGroupIngress" not in group
    (rule,) = properties(template, "AWS::EC2::SecurityGroupIngress")
    assert (rule["FromPort"], rule["ToPort"], rule["IpProtocol"]) == (CHANNEL, CHANNEL, "tcp")
    assert rule["SourceSecurityGroupId"] == rule["GroupId"]
    for subnet in properties(template, "AWS::EC2::Subnet"):
        assert subnet["MapPublicIpOnLaunch"] is False


def test_results_are_private_and_outlive_the_stack(template):
    (bucket,) = template.find_resources("AWS::S3::Bucket").values()
    assert bucket["DeletionPolicy"] == "RetainExceptOnCreate"
    assert set(bucket["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}


def test_what_starts_them_finds_all_it_needs_in_the_outputs(template):
    assert set(template.find_outputs("*")) == set(fleet.OUTPUTS)
    assert (fleet.CHANNEL, fleet.CONTAINER) == (CHANNEL, CONTAINER)


def test_the_image_runs_what_the_task_says_as_its_user():
    text = (REPOSITORY / "containers" / CONTAINER / "Dockerfile").read_text()
    assert f"USER {USER}" in text
    assert 'ENTRYPOINT ["python3", "-m", "loadtest.fleet.generator_task"]' in text
    assert "apt-get install -y --no-install-recommends" in text


def test_the_image_is_made_from_what_it_needs(stack):
    # Assets are staged when the stack is made.
    assets = Path(cdk.App.of(stack).outdir).glob("asset.*")
    (context,) = [path for path in assets if (path / "containers" / CONTAINER).exists()]
    folders = {path.name for path in context.iterdir() if path.is_dir()}
    assert folders == {"containers", "loadtest", "requirements", "rigs", "vitrine"}
    assert [path.name for path in (context / "requirements").iterdir()] == ["loadtest.txt"]
    made_from = {path.name for path in (context / "containers").iterdir()}
    assert made_from == {CONTAINER, "prepare-apt"}


def test_the_dockerfile_passes_hadolint():
    hadolint = Path(sys.executable).with_name("hadolint")
    file = REPOSITORY / "containers" / CONTAINER / "Dockerfile"
    done = subprocess.run([hadolint, file], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_template_passes_the_linter(stack, tmp_path):
    path = tmp_path / "loadtest.template.json"
    path.write_text(json.dumps(Template.from_stack(stack).to_json()))
    linter = Path(sys.executable).with_name("cfn-lint")
    done = subprocess.run([linter, path], cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_finding_of_nag_has_a_reason_to_stand(tmp_path):
    app = new_app(outdir=str(tmp_path))
    LoadTestStack(app, environment=ENVIRONMENTS["prod"])
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    with pytest.raises(RuntimeError, match=r"[Vv]alidation"):
        app.synth()
    report = json.loads((tmp_path / "validation-report.json").read_text())
    findings = [
        f"{violation['ruleName'].removeprefix('AwsSolutions-')} {construct['constructPath']}"
        for plugin in report["pluginReports"]
        for violation in plugin["violations"]
        for construct in violation["violatingConstructs"]
    ]
    unexplained = [f for f in findings if not any(re.match(p, f) for p in ACKNOWLEDGED)]
    assert unexplained == []
    stale = [p for p in ACKNOWLEDGED if not any(re.match(p, f) for f in findings)]
    assert stale == []


def test_the_app_has_it_when_asked_and_is_not_asked_by_default(tmp_path):
    build("x86_64")
    context = json.loads((REPOSITORY / "cdk.json").read_text())["context"]
    assert "loadtest" not in context
    context |= {"environment": "dev", "loadtest": "true", "aws:cdk:disable-asset-staging": True}
    done = subprocess.run(
        [sys.executable, "app.py"],
        cwd=REPOSITORY,
        env=os.environ
        | {
            "CDK_OUTDIR": str(tmp_path),
            "CDK_VALIDATION": "false",
            "CDK_CONTEXT_JSON": json.dumps(context),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "vitrine-dev-loadtest.template.json").exists()
    assert (tmp_path / "vitrine-dev-deliver.template.json").exists()
