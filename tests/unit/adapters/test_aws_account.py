"""What of an AWS account the emulator cannot answer: the quotas, and who is not signed in."""

from typing import Any

import pytest
from botocore.exceptions import NoCredentialsError
from botocore.stub import Stubber

from vitrine.account.edge_quotas import EDGE_QUOTAS
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


def test_every_type_with_a_quota_is_counted_on_all_pages(
    access: AwsAccess, account: AwsAccount
) -> None:
    one = {"CachePolicy": {"Id": "1", "LastModifiedTime": "2026-01-01T00:00:00Z"}}
    policy = one["CachePolicy"] | {
        "CachePolicyConfig": {"Name": "a", "MinTTL": 0},
    }
    item = {"Type": "custom", "CachePolicy": policy}
    with Stubber(access.client("cloudfront")) as edge:
        for marker, following in (("", "next"), ("next", "")):
            page = {"MaxItems": 1, "Quantity": 1, "Items": [item]}
            page |= {"NextMarker": following} if following else {}
            requested = {"Type": "custom"} | ({"Marker": marker} if marker else {})
            edge.add_response("list_cache_policies", {"CachePolicyList": page}, requested)
        empty = {"MaxItems": 1, "Quantity": 0}
        listed = empty | {"Marker": "", "IsTruncated": False}
        custom = {"Type": "custom"}
        edge.add_response(
            "list_origin_request_policies", {"OriginRequestPolicyList": empty}, custom
        )
        edge.add_response(
            "list_response_headers_policies", {"ResponseHeadersPolicyList": empty}, custom
        )
        edge.add_response("list_functions", {"FunctionList": empty}, {"Stage": "DEVELOPMENT"})
        edge.add_response("list_key_value_stores", {"KeyValueStoreList": empty}, {})
        edge.add_response("list_origin_access_controls", {"OriginAccessControlList": listed}, {})
        edge.add_response("list_vpc_origins", {"VpcOriginList": listed}, {})
        edge.add_response("list_distributions", {"DistributionList": listed}, {})
        found = account.edge_resources()
    assert found == dict.fromkeys(EDGE_QUOTAS, 0) | {"AWS::CloudFront::CachePolicy": 2}


def test_a_stack_that_does_not_exist_has_no_resources(
    access: AwsAccess, account: AwsAccount
) -> None:
    with Stubber(access.client("cloudformation")) as stacks:
        stacks.add_client_error(
            "list_stack_resources", "ValidationError", "Stack with id x does not exist"
        )
        assert account.stack_resources(REGION, "x") == {}
