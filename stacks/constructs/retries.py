"""What a state tries again, and for how long: the one table of Retry."""

from collections.abc import Iterator
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

from vitrine.errors import RETRYABLE, ConvertersBusy


@dataclass(frozen=True, kw_only=True)
class Retry:
    """Tries after errors of these names; each pause is random between none and its length."""

    errors: tuple[str, ...]
    attempts: int
    """After the first try."""
    first_seconds: int
    longest_seconds: int

    def pauses(self) -> Iterator[int]:
        """Seconds of each pause at the most; on average it is half as long."""
        for attempt in range(self.attempts):
            yield min(self.first_seconds * 2**attempt, self.longest_seconds)


PASSING = Retry(
    errors=(
        *RETRYABLE,
        "Lambda.TooManyRequestsException",
        "Lambda.ServiceException",
        "Lambda.AWSLambdaException",
        "Lambda.SdkClientException",
    ),
    attempts=84,
    first_seconds=2,
    longest_seconds=120,
)
"""Throttled, or unreachable: outlasts an hour of it, also when chance makes the pauses short."""

KILLED = Retry(
    errors=(
        "Lambda.Unknown",
        "Lambda.ClientExecutionTimeoutException",
        "Runtime.ExitError",
        "Runtime.OutOfMemory",
        "Sandbox.Timedout",
        "States.Timeout",
    ),
    attempts=1,
    first_seconds=5,
    longest_seconds=5,
)
"""Out of memory or out of time: once more, should it have been the machine's fault."""

RETRIES = (PASSING, KILLED)
"""Of every Lambda."""

BUSY = Retry(
    errors=(ConvertersBusy.__name__,),
    attempts=200,
    first_seconds=15,
    longest_seconds=600,
)
"""Waits for a place among the giants, 16 hours on average before it counts as a failure."""

NO_TASK = Retry(
    errors=("ECS.AmazonECSException", "ECS.ServerException", "AmazonECS.Unknown"),
    attempts=PASSING.attempts,
    first_seconds=PASSING.first_seconds,
    longest_seconds=PASSING.longest_seconds,
)
"""A task could not be started: Fargate has no room, or the quota is used up. The names stand in
"Run Amazon ECS or Fargate tasks" (Step Functions) and "RunTask capacity" (re:Post)."""

TASK_KILLED = Retry(
    errors=("States.TaskFailed", "States.Timeout"),
    attempts=2,
    first_seconds=5,
    longest_seconds=300,
)
"""A task that ended otherwise than with exit code 0. States.TaskFailed fits any error but the
other, so this retrier has to stand last."""


def add_retries(task: sfn.TaskStateBase | sfn.CustomState, retries: tuple[Retry, ...]) -> None:
    """Let `task` try again as `retries` say."""
    for retry in retries:
        task.add_retry(
            errors=list(retry.errors),
            interval=cdk.Duration.seconds(retry.first_seconds),
            backoff_rate=2,
            max_attempts=retry.attempts,
            # Step Functions wants it longer than the interval.
            max_delay=cdk.Duration.seconds(max(retry.longest_seconds, retry.first_seconds + 1)),
            jitter_strategy=sfn.JitterType.FULL,
        )


def longest_seconds(
    task_seconds: int, retries: tuple[Retry, ...] = RETRIES, tries: int = 1 + KILLED.attempts
) -> int:
    """How long a state may take with all its tries, `tries` of which take `task_seconds`."""
    return sum(sum(retry.pauses()) for retry in retries) + task_seconds * tries
