"""What `environments.toml` says is what is deployed, and no test but these depends on it."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from stacks.designs import ENVIRONMENTS, PROD
from stacks.flavours import FLAVOURS, take_flavour
from stacks.own_environments import own_environment
from vitrine.settings.environments_file import FILE, EnvironmentsFile, EnvironmentsUnusable

ROOT = Path(__file__).parents[2]
ACCOUNT = "123456789012"
CERTIFICATE = f"arn:aws:acm:us-east-1:{ACCOUNT}:certificate/1"


def _domain(region: str) -> str:
    """Return the lines that a protected environment needs."""
    of_balancer = CERTIFICATE.replace("us-east-1", region)
    return (
        f'domain_name = "images.example.org"\ncertificate_arn = "{CERTIFICATE}"\n'
        f'balancer_certificate_arn = "{of_balancer}"\nalarm_address = "images@example.org"\n'
    )


EDITS = f"""
[dev]
region = "eu-central-1"
account = "{ACCOUNT}"
[staging]
region = "eu-north-1"
account = "{ACCOUNT}"
[prod]
region = "eu-central-1"
account = "{ACCOUNT}"
architecture = "arm64"
{_domain("eu-central-1")}
dashboard = true
log_days = 60
[prod.deliver]
rights_uri = "https://creativecommons.org/publicdomain/mark/1.0/"
[prod.image_task]
maximum = 6
[prod.tags]
department = "Prints"
"""
"""The README's edits, and others that a museum makes."""


def _file(tmp_path, text):
    path = tmp_path / FILE
    path.write_text(text)
    return EnvironmentsFile.read(path)


@pytest.fixture(scope="module")
def own(tmp_path_factory, synthesize):
    """The templates of prod with the edits."""
    return synthesize(own_environment("prod", _file(tmp_path_factory.mktemp("own"), EDITS)))


@pytest.mark.slow
def test_what_an_operator_writes_is_in_the_templates(own):
    text = json.dumps(own.stages)
    assert PROD.account not in text
    assert PROD.region not in text
    assert {stack.environment.account for stack in own.assembly.stacks} == {ACCOUNT}
    regions = {stack.environment.region for stack in own.assembly.stacks}
    assert regions == {"eu-central-1", "us-east-1"}
    config = own.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    assert config["Aliases"] == ["images.example.org"]
    assert config["ViewerCertificate"]["AcmCertificateArn"] == CERTIFICATE
    addresses = {item.properties["Endpoint"] for item in own.of("AWS::SNS::Subscription")}
    assert addresses == {"images@example.org"}
    assert len(own.of("AWS::CloudWatch::Dashboard")) == 1
    assert {item.properties["RetentionInDays"] for item in own.of("AWS::Logs::LogGroup")} == {60}
    target = own.one("AWS::ApplicationAutoScaling::ScalableTarget").properties
    assert (target["MinCapacity"], target["MaxCapacity"]) == (PROD.image_task.minimum, 6)
    zones = {item.properties["AvailabilityZone"] for item in own.of("AWS::EC2::Subnet")}
    assert zones == {"eu-central-1a", "eu-central-1b"}


PRICED = ("test_environments.py", "test_idle_price.py", "test_plan_prices.py")
"""The files whose tests an edit of an environment would turn red, if they read it."""


@pytest.mark.slow
def test_edits_of_an_operator_leave_the_tests_green(tmp_path):
    file = _file(tmp_path, EDITS).path
    here = Path(__file__).parent
    result = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow"),
            f"--basetemp={tmp_path / 'tests'}",
            *(str(here / name) for name in (*PRICED, "test_dashboard_promises.py")),
        ],
        cwd=ROOT,
        env={**os.environ, "VITRINE_ENVIRONMENTS_FILE": str(file)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-3000:]


def test_every_design_stands_in_the_file_that_comes_with_vitrine():
    file = EnvironmentsFile.read(ROOT / FILE)
    for name, design in ENVIRONMENTS.items():
        assert own_environment(name, file).name == design.name


def test_an_environment_of_ones_own_is_a_design_under_another_name(tmp_path):
    text = f'[museum]\nbased_on = "staging"\nregion = "eu-west-2"\naccount = "{ACCOUNT}"\n'
    museum = own_environment("museum", _file(tmp_path, text))
    assert museum == replace(
        ENVIRONMENTS["staging"], name="museum", region="eu-west-2", account=ACCOUNT
    )


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_flavour_sets_its_values_and_what_else_is_written_wins(tmp_path, flavour):
    file = _file(tmp_path, f'[dev]\nregion = "us-east-1"\nflavour = "{flavour}"\nlog_days = 60\n')
    assert own_environment("dev", file) == replace(
        take_flavour(ENVIRONMENTS["dev"], flavour), log_days=60
    )


def test_part_of_a_flavour_can_be_changed(tmp_path):
    text = '[prod]\nregion = "eu-west-1"\nflavour = "museum"\n[prod.image_task]\nmaximum = 3\n'
    task = own_environment("prod", _file(tmp_path, text)).image_task
    assert task == replace(take_flavour(PROD, "museum").image_task, maximum=3)


def test_prod_comes_as_a_portal():
    assert take_flavour(PROD, "portal") == PROD


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_new_account_is_asked_for_no_more_than_it_has(name, tmp_path):
    text = f'[{name}]\nregion = "eu-west-1"\naccount = "{ACCOUNT}"\nnew_account = true\n'
    environment = own_environment(name, _file(tmp_path, text + _domain("eu-west-1")))
    for converter in (environment.small_converter, environment.large_converter):
        assert converter.at_once is None
        assert converter.memory_mebibytes <= 3_008
    assert environment.account_concurrency == 10
    assert 0 < environment.executions_at_once <= 40
    assert environment.migrations_per_child == environment.executions_at_once
    assert environment.migration_children == 1


def test_in_a_new_account_the_lambda_for_images_takes_what_is_left(tmp_path):
    text = '[dev]\nregion = "us-east-1"\nflavour = "serverless"\nnew_account = true\n'
    function = own_environment("dev", _file(tmp_path, text)).image_function
    assert function == replace(FLAVOURS["serverless"].values["image_function"], at_once=None)


@pytest.mark.slow
def test_the_templates_for_a_new_account_reserve_nothing_and_no_function_is_too_large(
    tmp_path, synthesize
):
    text = f'[prod]\nregion = "eu-west-1"\naccount = "{ACCOUNT}"\nnew_account = true\n'
    text += _domain("eu-west-1") + "\n[prod.access]\n[prod.api]\n[prod.photos]\n[prod.ocr]\n"
    templates = synthesize(own_environment("prod", _file(tmp_path, text)))
    for function in templates.of("AWS::Lambda::Function"):
        assert "ReservedConcurrentExecutions" not in function.properties, function.id
        assert function.properties["MemorySize"] <= 3_008, function.id


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("account = 'x'", "stands outside of an environment's table"),
        ("[prod", "is no TOML"),
        ("[prod]\naccount = '123456789012'", "must say in which region 'prod' is"),
        ("[dev]\nregion = 'eu-west-1'", "has no environment 'prod', only dev"),
        ("[prod]\nregion = 'eu-west-1'\nacount = '1'", "there is no 'acount'"),
        ("[prod]\nregion = 'eu-west-1'\naccount = 123456789012", "account cannot be 123456789012"),
        ("[prod]\nregion = 'eu-west-1'\nlog_days = '90'", "log_days cannot be '90'"),
        ("[prod]\nregion = 'eu-west-1'\ndashboard = 1", "dashboard cannot be 1"),
        ("[prod]\nregion = 'eu-west-1'\narchitecture = 'arm'", "architecture cannot be 'arm'"),
        ("[prod]\nregion = 'eu-west-1'\nbased_on = 'x'", "write based_on"),
        (
            "[prod]\nregion = 'eu-west-1'\nflavour = 'x'",
            "flavour must be one of serverless, museum",
        ),
        ("[prod]\nregion = 'mars-1'", "--region mars-1"),
        ("[prod]\nregion = 'eu-west-1'\n[prod.image_task]\ncpu = 1", "there is no 'cpu'"),
        ("[prod]\nregion = 'eu-west-1'\n[prod.deliver]\nrights_uri = 'CC0'", "rights_uri must be"),
        ("[prod]\nregion = 'eu-west-1'\n[prod.vpc]\nvpc_id = 'vpc-1'", "cidr"),
    ],
)
def test_what_cannot_be_used_is_a_sentence(tmp_path, text, sentence):
    with pytest.raises(EnvironmentsUnusable, match=sentence):
        own_environment("prod", _file(tmp_path, text))


def test_a_missing_file_is_a_sentence(tmp_path):
    with pytest.raises(EnvironmentsUnusable, match="cannot be read: No such file"):
        EnvironmentsFile.read(tmp_path / FILE)
