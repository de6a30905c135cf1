"""Where a deployed environment is, and what its stacks call things: for operators, not Lambdas."""

import os
from functools import cache
from pathlib import Path

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.bootstrap.aws_access import environment_access
from vitrine.bootstrap.local_service import REPOSITORY, NotRunning, local_service
from vitrine.settings.environments_file import (
    FILE,
    FILE_VARIABLE,
    EnvironmentPlace,
    EnvironmentsFile,
    EnvironmentsUnusable,
)

LOCAL = "local"
"""The environment that runs on this machine."""


class NotDescribed(NotRunning):
    """`environments.toml` does not say where the environment is."""


def access_to(environment: str) -> tuple[AwsAccess, str]:
    """Return access to an environment, and the name that its stacks' names contain.

    Raises NotRunning.
    """
    if environment != LOCAL:
        return environment_access(place_of(environment).region), environment
    service = local_service()
    access = AwsAccess(service.emulator_url, service.region, dummy_credentials=True)
    return access, service.stage


def place_of(environment: str) -> EnvironmentPlace:
    """Return where an environment on AWS is, which the shell does not decide.

    Raises NotDescribed.
    """
    file = Path(os.environ.get(FILE_VARIABLE) or REPOSITORY / FILE)
    try:
        return EnvironmentsFile.read(file).place(environment)
    except EnvironmentsUnusable as error:
        raise NotDescribed(str(error)) from None


@cache
def _stack_outputs(access: AwsAccess, stack: str) -> dict[str, str]:
    return stack_outputs(access.client("cloudformation"), stack)


def forget_outputs() -> None:
    """Ask the stacks again next time: they may have been deployed since."""
    _stack_outputs.cache_clear()


def outputs(access: AwsAccess, stage: str, stack: str) -> dict[str, str]:
    """Return all outputs of a stack by name, {} if it is not deployed. Raises TransientError."""
    return _stack_outputs(access, f"vitrine-{stage}-{stack}")


def output(access: AwsAccess, stage: str, stack: str, name: str) -> str:
    """Return one output of a stack. Raises NotRunning, TransientError."""
    try:
        return outputs(access, stage, stack)[name]
    except KeyError:
        full_name = f"vitrine-{stage}-{stack}"
        raise NotRunning(f"the stack {full_name} is not deployed, or has no {name}.") from None
