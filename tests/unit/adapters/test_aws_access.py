"""Clients of AWS begin quickly, with the descriptions of services that botocore has."""

import json
import os
from typing import Any

import pytest
from botocore.exceptions import UnknownServiceError
from botocore.loaders import create_loader

from vitrine.adapters.aws import access
from vitrine.adapters.aws.access import AwsAccess

NOWHERE = AwsAccess("http://127.0.0.1:1", "us-east-1", dummy_credentials=True)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has been read yet."""
    access._load_models.cache_clear()


@pytest.mark.parametrize("service", ["dynamodb", "s3", "sqs", "stepfunctions"])
def test_a_service_is_described_as_botocore_does(fresh: None, service: str) -> None:
    ours, botocores = access._load_models(), create_loader()
    for kind in ("service-2", "endpoint-rule-set-1", "paginators-1"):
        read = ours.load_service_model(service, kind)
        assert json.dumps(read) == json.dumps(botocores.load_service_model(service, kind))


def test_a_client_looks_into_no_other_services_folder(
    fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[Any] = []
    really = os.listdir
    monkeypatch.setattr(os, "listdir", lambda *path: listed.append(path) or really(*path))
    AwsAccess("http://127.0.0.1:1", "us-east-1", dummy_credentials=True).client("s3")
    assert len(listed) < 20


def test_a_service_that_aws_does_not_have_is_named() -> None:
    with pytest.raises(UnknownServiceError, match="stepfunction"):
        NOWHERE.client("stepfunction")
