"""The account that an environment is deployed to, as the credentials of this machine reach it."""

from functools import cache

from vitrine.account.ports import Account
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.account import AwsAccount
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.environments import place_of


def account_of(environment: str) -> Account:
    """Return the account of an environment. Raises NotDescribed."""

    @cache
    def access(region: str) -> AwsAccess:
        return environment_access(region)

    return AwsAccount(access, place_of(environment).region)
