"""What the page on deployment has somebody type, as far as a machine without AWS can do it.

The project is made ready in its own folder; AWS is an emulator. Whether a command is run here,
tests/unit/docs/test_howto_deploy.py says.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.integration.local.emulators import Emulated
from tests.integration.local.machines import draw
from tests.unit.docs.shell_calls import blocks_of
from vitrine.bootstrap.local_service import REPOSITORY

if TYPE_CHECKING:
    from tests.integration.local.runbook_service import Here

BLOCKS = blocks_of(REPOSITORY / "docs/howto/deploy-to-aws.md")
ACCOUNT = "000000000000"
EVERY_REPOSITORY = (
    '{"Version": "2012-10-17", "Statement": '
    '[{"Effect": "Allow", "Action": "ecr:*", "Resource": "*"}]}'
)
READY = (". .venv/bin/activate", "make setup-synth", "make layers", "make synth")


def test_the_project_is_made_ready_without_an_account_and_the_price_is_printed() -> None:
    lines = "".join(block for block in BLOCKS if block.startswith(READY))
    assert len(lines.splitlines()) == len(READY)
    names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"]
    # What runs the tests may be make as well, which tells one that it starts to be talkative.
    names += ["MAKELEVEL", "MAKEFLAGS", "MFLAGS"]
    done = subprocess.run(
        ["bash", "-ec", f"{lines}npx cdk --version; node --version"],
        cwd=REPOSITORY,
        env={name: value for name, value in os.environ.items() if name not in names},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    folder, cdk, node = done.stdout.splitlines()[-3:]
    assert folder == f"{REPOSITORY}/cdk.out/prod"
    assert cdk[0].isdigit()
    assert int(node.removeprefix("v").partition(".")[0]) >= 22
    assert re.search(r"prod costs about \$\d+ a month while nobody uses it", done.stderr)


class Deployer:
    """Somebody who types the CDK's commands of the page, to the emulator in the place of AWS.

    The emulator reads no output of a stack in another region, so all are in us-east-1.
    """

    def __init__(self, emulated: Emulated, folder: Path) -> None:
        self._file = folder / "environments.toml"
        self.describe()
        self._variables = os.environ | {
            "VITRINE_ENVIRONMENTS_FILE": str(self._file),
            "AWS_ENDPOINT_URL": emulated.cloud.endpoint_url or "",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": "us-east-1",
            # Its questions, which a person answers, and its folder, which others use.
            "CDK_REQUIRE_APPROVAL": "never",
            "CDK_FORCE": "true",
            "CDK_OUTPUT": str(folder / "cdk.out"),
        }

    def describe(self, more: str = "") -> None:
        """Write the file of environments, with `more` below `[prod]`."""
        self._file.write_text(f'[prod]\nregion = "us-east-1"\naccount = "{ACCOUNT}"\n{more}')

    def type(self, line: str) -> str:
        """Return what a line of the page prints for the emulator's account. It must succeed."""
        assert any(line in block.splitlines() for block in BLOCKS), line
        line = line.replace("123456789012", ACCOUNT)
        done = subprocess.run(
            ["bash", "-c", f". .venv/bin/activate && {line}"],
            cwd=REPOSITORY,
            env=self._variables,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (line, done.stdout[-4_000:], done.stderr[-4_000:])
        return done.stdout + done.stderr


def test_the_cdk_deploys_protects_and_deletes_as_the_page_says(
    patched: Emulated, tmp_path: Path
) -> None:
    deployer = Deployer(patched, tmp_path)
    [bootstrap] = [block.strip() for block in BLOCKS if block.startswith("npx cdk bootstrap")]
    assert f"aws://{ACCOUNT}/us-east-1 bootstrapped" in deployer.type(bootstrap)
    iam = patched.cloud.client("iam")
    # The emulator knows no repository by its name when it looks at a role's rights.
    iam.put_role_policy(
        RoleName=f"cdk-hnb659fds-image-publishing-role-{ACCOUNT}-us-east-1",
        PolicyName="Repositories",
        PolicyDocument=EVERY_REPOSITORY,
    )
    first = deployer.type("npx cdk deploy --all -c environment=prod -c first=true")
    assert len(re.findall(r"✅  vitrine-prod-\w+\n", first)) >= 10
    protected = deployer.type("npx cdk deploy --all -c environment=prod")
    assert set(re.findall(r"✅  vitrine-prod-(\w+)\n", protected)) == {"identify", "deliver"}
    assert "There were no differences" in deployer.type("npx cdk diff -c environment=prod")
    _switch_github_off(deployer, patched)
    deployer.type("npx cdk deploy --all -c environment=prod --revert-drift")
    deployer.describe("protected = false\n")
    deployer.type("npx cdk deploy --all -c environment=prod")
    deployer.type("npx cdk destroy --all -c environment=prod")
    assert not [name for name in deployed_names(patched) if name.startswith("vitrine-prod-")]
    buckets = [item["Name"] for item in patched.cloud.client("s3").list_buckets()["Buckets"]]
    assert [name for name in buckets if name.startswith("vitrine-prod-store-masters")]


def _switch_github_off(deployer: Deployer, emulated: Emulated) -> None:
    """Deploy GitHub's roles, and have their stack deleted when no template has it any more."""
    provider = f"arn:aws:iam::{ACCOUNT}:oidc-provider/token.actions.githubusercontent.com"
    deployer.describe(f'github_repository = "museum/vitrine"\ngithub_provider_arn = "{provider}"\n')
    deployer.type("npx cdk deploy --all -c environment=prod")
    deployer.describe()
    look = ".venv/bin/vitrine deploy stacks --environment prod --delete"
    assert re.search(r"delete vitrine-prod-delivery in us-east-1\n", deployer.type(look))
    assert "vitrine-prod-delivery" in deployed_names(emulated)
    deployer.type(f"{look} --yes")
    assert "vitrine-prod-delivery" not in deployed_names(emulated)


def deployed_names(emulated: Emulated) -> list[str]:
    """Return the names of the stacks that are not deleted."""
    stacks = emulated.cloud.client("cloudformation").list_stacks()["StackSummaries"]
    return [item["StackName"] for item in stacks if item["StackStatus"] != "DELETE_COMPLETE"]


def type_block(here: "Here", words: str, **values: str) -> str:
    """Return what the page's block with these words prints here, `values` in place of its own."""
    [block] = [block for block in BLOCKS if words in block]
    for name, value in {"--region eu-west-1": "--region us-east-1", **values}.items():
        block = block.replace(name, value)
    return here.operator.type(block)


def test_the_commands_after_a_deployment_print_what_the_page_says(here: "Here") -> None:
    cloud = here.cloud
    assert re.search(r"\d{12}", type_block(here, "sts get-caller-identity"))
    arn = re.search(
        r"arn:aws:acm:\S+[^\s\"]", type_block(here, "request-certificate --region us-east-1")
    )
    assert arn
    assert '"Status"' in type_block(here, "acm describe-certificate", ARN=arn[0])
    assert "CREATE_COMPLETE" in type_block(here, "describe-stack-events")
    domain = type_block(here, "DistributionDomainName").strip()
    assert domain == here.outputs("edge")["DistributionDomainName"]
    cloud.client("iam").create_user(UserName="curator")
    policy = here.outputs("curate")["CuratorPolicyArn"]
    values = {"--policy-arn ARN": f"--policy-arn {policy}"}
    assert policy in type_block(here, "CuratorPolicyArn", **values)
    attached = cloud.client("iam").list_attached_user_policies(UserName="curator")
    assert [item["PolicyArn"] for item in attached["AttachedPolicies"]] == [policy]


def test_the_page_is_published_and_a_master_ingested_as_the_page_says(here: "Here") -> None:
    draw(here.folder / "operator" / "painting.tif", 3)
    assert re.search(r"\d+ files", type_block(here, "site publish"))
    assert "/iiif/3/painting" in type_block(here, "ingest painting.tif")
    assert here.image("painting").status == 200
