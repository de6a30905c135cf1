"""Where an environment is, and what its stacks call things."""

import os
from functools import cache

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.identifier_table import DynamoIdentifierTable
from vitrine.adapters.aws.object_store import S3ObjectStore
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.bootstrap.local_service import LocalService
from vitrine.errors import VitrineError
from vitrine.ports import IdentifierTable, VersionedStore

LOCAL = "local"
"""The environment that runs on this machine."""


class NotRunning(VitrineError):
    """The environment is not there: never started here, or not deployed."""


def access_to(environment: str) -> tuple[AwsAccess, str]:
    """Where the environment is, and the name in its stacks' names. Raises NotRunning."""
    if environment != LOCAL:
        return environment_access(), environment
    service = local_service()
    access = AwsAccess(service.emulator_url, service.region, dummy_credentials=True)
    return access, service.stage


def local_service() -> LocalService:
    """The service of this machine. Raises NotRunning."""
    service = LocalService.load()
    if service is None:
        raise NotRunning("The service has not been started on this machine; run `make up` first.")
    return service


def environment_access() -> AwsAccess:
    """AWS as the process's environment describes it: AWS_ENDPOINT_URL, credentials, region."""
    return AwsAccess(endpoint_url=os.environ.get("AWS_ENDPOINT_URL") or None)


@cache
def _outputs(access: AwsAccess, stack: str) -> dict[str, str]:
    return stack_outputs(access.client("cloudformation"), stack)


def forget_outputs() -> None:
    """Ask the stacks anew: they may have been deployed since."""
    _outputs.cache_clear()


def outputs(access: AwsAccess, stage: str, stack: str) -> dict[str, str]:
    """All outputs of a stack by name, none where it is not deployed. Raises TransientError."""
    return _outputs(access, f"vitrine-{stage}-{stack}")


def output(access: AwsAccess, stage: str, stack: str, name: str) -> str:
    """One output. Raises NotRunning, TransientError."""
    try:
        return outputs(access, stage, stack)[name]
    except KeyError:
        full_name = f"vitrine-{stage}-{stack}"
        raise NotRunning(f"The stack {full_name} is not deployed, or has no {name}.") from None


def bucket(access: AwsAccess, name: str) -> VersionedStore:
    """A bucket."""
    return S3ObjectStore(access.client("s3"), name)


def identifiers(access: AwsAccess, table: str) -> IdentifierTable:
    """A table of identifiers."""
    return DynamoIdentifierTable(access.client("dynamodb"), table)
