"""The environment that a command talks to, and what it says when that cannot be reached."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import botocore.exceptions
import typer

from vitrine.bootstrap.deployment import Deployment, deployment
from vitrine.bootstrap.environments import LOCAL, NotDescribed, place_of
from vitrine.bootstrap.local_service import NotRunning
from vitrine.cli.console.printing import print_message
from vitrine.cli.console.program import UNSUCCESSFUL, stop
from vitrine.errors import (
    IdentifierRefused,
    RecordDamaged,
    RightMissing,
    ServiceFailed,
    ServiceRefused,
    ThemeRefused,
    TransientError,
)

Environment = Annotated[
    str,
    typer.Option(
        "--environment",
        "-e",
        help="The environment to work on: 'local' is this machine; any other one is found with "
        "your AWS credentials, in the region that environments.toml gives it.",
        metavar="NAME",
    ),
]
DEFAULT = LOCAL


@contextmanager
def connected(
    environment: str, first: Callable[[str], None] = lambda environment: None
) -> Iterator[Deployment]:
    """Yield the environment, or end with exit code 2 and one line that says what to do.

    `first` is called with the environment before it is connected to.

    A change of an identifier that is refused ends with exit code 1 and its reason.
    """
    try:
        first(environment)
        yield deployment(environment)
    except (IdentifierRefused, ThemeRefused) as error:
        print_message(str(error))
        raise typer.Exit(UNSUCCESSFUL) from None
    except OUT_OF_REACH as error:
        stop(explain_out_of_reach(error, environment))


def require_described(environment: str) -> None:
    """End with exit code 2 if `environments.toml` has no such environment."""
    if environment == LOCAL:
        return
    try:
        place_of(environment)
    except NotDescribed as error:
        stop(explain_out_of_reach(error, environment))


OUT_OF_REACH = (
    NotRunning,
    ServiceFailed,
    botocore.exceptions.BotoCoreError,
    botocore.exceptions.ClientError,
)
"""Raised when an environment does not exist, does not answer, or refuses."""


NO_ACCESS = (
    botocore.exceptions.NoCredentialsError,
    botocore.exceptions.CredentialRetrievalError,
    botocore.exceptions.ProfileNotFound,
)
"""Raised when this machine does not say which account to ask."""


def explain_out_of_reach(error: Exception, environment: str) -> str:
    """Return one line about an error of OUT_OF_REACH: what is the matter and what to do."""
    if isinstance(error, ServiceRefused) and isinstance(error.__cause__, NO_ACCESS):
        error = error.__cause__
    if isinstance(error, NotDescribed | RecordDamaged):
        return str(error)
    if isinstance(error, NotRunning):
        where = f'There is no environment "{environment}" in this AWS account and region: '
        return str(error) if environment == LOCAL else f"{where}{error}"
    if isinstance(error, NO_ACCESS):
        return (
            f'The environment "{environment}" was looked for on AWS, but {_first_line(error)} Set '
            "your credentials (AWS_PROFILE), or leave --environment out for the service on this "
            "machine."
        )
    if isinstance(error, TransientError):
        advice = "start it with `make up`" if environment == LOCAL else "try again later"
        return f"The service does not answer ({_first_line(error)}); {advice}."
    if isinstance(error, RightMissing):
        return (
            f"AWS refused: {_first_line(error)}. docs/howto/share-between-departments.md says "
            "which commands need the rights of an operator."
        )
    return f"AWS refused: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
