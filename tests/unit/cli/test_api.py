"""`vitrine api`: where the API is, and how it is called."""

import json
from collections.abc import Callable

import pytest
from typer.testing import Result

from vitrine.bootstrap.deployed_services import ApiDoor
from vitrine.cli import api

Run = Callable[..., Result]
SIGNED = ApiDoor(address="https://a.example", access="iam", region="eu-west-1")
TOKENS = ApiDoor(address="https://a.example", access="jwt", region="eu-west-1")


@pytest.mark.parametrize(
    ("door", "shown"),
    [
        (SIGNED, 'curl --aws-sigv4 "aws:amz:eu-west-1:execute-api" --user test:test https://a'),
        (TOKENS, 'curl -H "Authorization: Bearer $TOKEN" https://a.example/objects'),
    ],
)
def test_it_says_how_it_is_called(
    run: Run, monkeypatch: pytest.MonkeyPatch, door: ApiDoor, shown: str
) -> None:
    monkeypatch.setattr(api, "api_door", lambda environment: door)
    result = run("api", "show")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "https://a.example"
    assert shown in result.stdout
    assert json.loads(run("api", "show", "--json").stdout) == {
        "address": "https://a.example",
        "access": door.access,
        "region": "eu-west-1",
    }


def test_the_document_is_printed_without_a_service(run: Run) -> None:
    assert json.loads(run("api", "document").stdout)["openapi"] == "3.1.0"
