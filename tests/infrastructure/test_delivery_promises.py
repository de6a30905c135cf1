"""GitHub's workflow has no key, and deploys only what was approved."""

import json
import re
from dataclasses import replace

import pytest
from aws_cdk.assertions import Template

from stacks.delivery import DeliveryStack
from stacks.designs import PROD
from stacks.service import new_app
from stacks.stage import REPOSITORY

WORKFLOW = REPOSITORY / ".github" / "workflows" / "deploy.yml"
WORKFLOWS = sorted(WORKFLOW.parent.glob("*.yml"))
ISSUER = "token.actions.githubusercontent.com"


def _synthesize(environment):
    app = new_app(builtin_cloud_formation_validation=False)
    stack = DeliveryStack(app, environment=environment, repository="museum/vitrine")
    return Template.from_stack(stack).to_json()["Resources"]


@pytest.fixture(scope="module")
def resources():
    """The resources of the stack."""
    return _synthesize(replace(PROD, github_repository="museum/vitrine"))


def _subject(resources, prefix):
    (role,) = [
        body
        for name, body in resources.items()
        if body["Type"] == "AWS::IAM::Role" and name.startswith(prefix)
    ]
    (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Action"] == "sts:AssumeRoleWithWebIdentity"
    (kind,) = statement["Condition"]
    assert kind == "StringEquals", "a pattern could match another repository"
    condition = statement["Condition"][kind]
    assert condition[f"{ISSUER}:aud"] == "sts.amazonaws.com"
    return condition[f"{ISSUER}:sub"]


def test_only_an_approved_run_of_the_repository_deploys(resources):
    assert _subject(resources, "Deploy") == "repo:museum/vitrine:environment:prod"


def test_a_run_on_the_main_branch_may_only_look(resources):
    assert _subject(resources, "Diff") == "repo:museum/vitrine:ref:refs/heads/main"
    policies = {
        policy["Properties"]["Roles"][0]["Ref"]: json.dumps(policy["Properties"]["PolicyDocument"])
        for policy in resources.values()
        if policy["Type"] == "AWS::IAM::Policy"
    }
    (diff,) = [text for role, text in policies.items() if role.startswith("Diff")]
    assert "lookup-role" in diff
    assert "deploy-role" not in diff
    assert "publishing-role" not in diff


def test_the_roles_only_go_on_to_those_of_the_bootstrap(resources):
    for body in resources.values():
        if body["Type"] == "AWS::IAM::Policy":
            (statement,) = body["Properties"]["PolicyDocument"]["Statement"]
            assert statement["Action"] == "sts:AssumeRole"
            assert ":role/cdk-hnb659fds-" in json.dumps(statement["Resource"])


def test_an_account_that_knows_github_keeps_its_provider(resources):
    arn = f"arn:aws:iam::000000000000:oidc-provider/{ISSUER}"
    kinds = {body["Type"] for body in resources.values()}
    assert "AWS::IAM::OIDCProvider" in kinds
    known = replace(PROD, github_repository="museum/vitrine", github_provider_arn=arn)
    kinds = {body["Type"] for body in _synthesize(known).values()}
    assert "AWS::IAM::OIDCProvider" not in kinds


def test_without_a_repository_nothing_of_github_may_deploy(prod):
    assert "delivery" not in prod.stages


def test_the_workflow_has_no_key_and_waits_for_approval_before_it_deploys():
    text = WORKFLOW.read_text()
    assert "id-token: write" in text
    assert "secrets." not in text
    assert "AWS_ACCESS_KEY" not in text
    diff, deploy = text.split("\n  deploy:\n")
    assert "environment: ${{ inputs.environment }}" in deploy
    assert "\n    environment:" not in diff.split("\njobs:\n")[1]
    assert "needs: diff" in deploy
    assert "cdk diff" in diff
    assert "cdk deploy" not in diff


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_every_action_of_a_workflow_is_pinned_to_a_major_version(workflow):
    used = re.findall(r"uses: (.*)$", workflow.read_text(), re.MULTILINE)
    assert used
    for action in used:
        name, _, version = action.partition("@")
        assert name.split("/")[0] in ("actions", "aws-actions", "docker"), action
        assert version.startswith("v"), action


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_every_target_and_script_that_a_workflow_runs_exists(workflow):
    text = workflow.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z-]+)(?: ENV|$)", text, re.MULTILINE)) <= targets
    assert all((REPOSITORY / name).is_file() for name in re.findall(r"scripts/[a-z_]+\.py", text))


def test_the_weekly_workflow_may_open_a_pull_request_and_nothing_else():
    text = (WORKFLOW.parent / "weekly.yml").read_text()
    assert "cron:" in text
    assert "id-token" not in text
    before, renewal = text.split("\njobs:\n")
    assert before.rstrip().endswith("contents: read")
    renewal, audit = renewal.split("\n  audit:\n")
    assert "contents: write" in renewal
    assert "pull-requests: write" in renewal
    assert "write" not in audit
    assert "git push --force origin main" not in renewal
