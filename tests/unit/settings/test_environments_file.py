"""Where an environment is stands in `environments.toml`, and the shell has no say in it."""

from pathlib import Path

import pytest

from vitrine.bootstrap.environments import NotDescribed, access_to, place_of
from vitrine.settings.environments_file import FILE_VARIABLE, EnvironmentPlace

OWN = """
[museum]
based_on = "prod"
region = "eu-north-1"
account = "123456789012"
domain_name = "images.example.org"
[elsewhere]
account = "123456789012"
"""


@pytest.fixture(autouse=True)
def _own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "environments.toml"
    file.write_text(OWN)
    monkeypatch.setenv(FILE_VARIABLE, str(file))


def test_commands_work_in_the_region_of_the_environment_not_of_the_shell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    access, stage = access_to("museum")
    assert stage == "museum"
    assert access.client("s3").meta.region_name == "eu-north-1"


def test_the_place_of_an_environment_is_read_from_the_file() -> None:
    place = EnvironmentPlace(
        region="eu-north-1", account="123456789012", domain_name="images.example.org"
    )
    assert place_of("museum") == place


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("prod", "has no environment 'prod', only museum"), ("elsewhere", "in which region")],
)
def test_an_environment_without_a_place_is_a_sentence(name: str, sentence: str) -> None:
    with pytest.raises(NotDescribed, match=sentence):
        place_of(name)
