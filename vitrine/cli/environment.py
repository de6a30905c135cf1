"""What every verb shares: which environment it talks to, and how it ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import botocore.exceptions
import typer

from vitrine.bootstrap.deployment import Deployment, deployment
from vitrine.bootstrap.environments import LOCAL, NotRunning
from vitrine.errors import IdentifierRefused, TransientError

UNSUCCESSFUL = 1
UNUSABLE = 2
"""Wrong usage, or a service that is not running."""

Environment = Annotated[
    str,
    typer.Option(
        "--environment",
        "-e",
        help="Where: `local` is this machine, others are found with your AWS credentials.",
        metavar="NAME",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document, nothing else.")]
DEFAULT = LOCAL


@contextmanager
def connected(environment: str) -> Iterator[Deployment]:
    """The environment, or exit code 2 with one line that says what to do.

    A change of an identifier that is refused ends with exit code 1 and its reason.
    """
    try:
        yield deployment(environment)
    except IdentifierRefused as error:
        print(f"vitrine: {error}", file=sys.stderr)
        raise typer.Exit(UNSUCCESSFUL) from None
    except OUT_OF_REACH as error:
        stop(why_out_of_reach(error, environment))


OUT_OF_REACH = (
    NotRunning,
    TransientError,
    botocore.exceptions.BotoCoreError,
    botocore.exceptions.ClientError,
)
"""What is raised when an environment is not there, does not answer, or refuses."""


def why_out_of_reach(error: Exception, environment: str) -> str:
    """One line about one of OUT_OF_REACH: what is the matter and what to do."""
    if isinstance(error, NotRunning):
        return str(error)
    if isinstance(error, TransientError):
        advice = "start it with `make up`" if environment == LOCAL else "try again later"
        return f"The service does not answer ({_first_line(error)}); {advice}."
    return f"AWS refused: {_first_line(error)}"


def stop(sentence: str) -> NoReturn:
    """Say why on stderr and end with exit code 2."""
    print(f"vitrine: {sentence}", file=sys.stderr)
    raise typer.Exit(UNUSABLE)


def _first_line(error: Any) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
