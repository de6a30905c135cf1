"""What the page on deployment has somebody type, as far as a machine without AWS can do it.

The project is made ready in its own folder; AWS is the emulator of a service of this machine. What
the page has somebody type to the CDK is in tests/unit/docs/test_howto_deploy.py.
"""

import os
import re
import subprocess
from typing import TYPE_CHECKING

from tests.integration.local.machines import draw
from tests.unit.docs.shell_calls import blocks_of
from vitrine.bootstrap.local_service import REPOSITORY

if TYPE_CHECKING:
    from tests.integration.local.runbook_service import Here

BLOCKS = blocks_of(REPOSITORY / "docs/howto/deploy-to-aws.md")
READY = (". .venv/bin/activate", "make setup-synth", "make layers", "make synth")


def test_the_project_is_made_ready_without_an_account_and_the_price_is_printed() -> None:
    lines = "".join(block for block in BLOCKS if block.startswith(READY))
    assert len(lines.splitlines()) == len(READY)
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL")
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
