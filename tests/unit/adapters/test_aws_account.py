"""What of an AWS account the emulator cannot answer: the quotas, and who is not signed in."""

from typing import Any

import pytest
from botocore.exceptions import NoCredentialsError
from botocore.stub import Stubber

from vitrine.account.ports import AccountSilent
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.account import AwsAccount

REGION = "eu-west-1"


@pytest.fixture
def access() -> AwsAccess:
    """Clients that nothing is sent by."""
    return AwsAccess(region=REGION, dummy_credentials=True)


@pytest.fixture
def account(access: AwsAccess) -> AwsAccount:
    """The account behind them."""
    return AwsAccount(lambda region: access, REGION)


def test_a_quota_is_what_service_quotas_says(access: AwsAccess, account: AwsAccount) -> None:
    with Stubber(access.client("service-quotas")) as quotas:
        quotas.add_response(
            "get_service_quota",
            {"Quota": {"QuotaCode": "L-3032A538", "Value": 6.0}},
            {"ServiceCode": "fargate", "QuotaCode": "L-3032A538"},
        )
        assert account.quota(REGION, "fargate", "L-3032A538") == 6


def test_what_aws_refuses_is_said_with_its_reason(access: AwsAccess, account: AwsAccount) -> None:
    with Stubber(access.client("service-quotas")) as quotas:
        quotas.add_client_error("get_service_quota", "AccessDeniedException", "not you")
        with pytest.raises(AccountSilent, match=r"the quota L-3032A538: .*AccessDenied.*not you"):
            account.quota(REGION, "fargate", "L-3032A538")


def test_missing_credentials_are_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nobody:
        def get_caller_identity(self) -> Any:
            raise NoCredentialsError

    monkeypatch.setattr(AwsAccess, "client", lambda self, service: Nobody())
    with pytest.raises(AccountSilent, match="who is signed in: Unable to locate credentials"):
        AwsAccount(lambda region: AwsAccess(region=region), REGION).identity()
