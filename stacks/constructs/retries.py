"""All retriers of states: after which errors a state tries again, and for how long."""

from collections.abc import Iterator
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

from vitrine.errors import RETRYABLE, ConvertersBusy


@dataclass(frozen=True, kw_only=True)
class Retry:
    """More tries after errors of these names; each pause is random, from 0 to its length."""

    errors: tuple[str, ...]
    attempts: int
    """Number of tries after the first one."""
    first_seconds: int
    longest_seconds: int

    def pauses(self) -> Iterator[int]:
        """Yield the longest that each pause may be, in seconds; on average it is half as long."""
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
"""Throttled or unreachable: the tries outlast an hour of it, even if the pauses are short."""

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
"""Out of memory or out of time: one more try, in case it was the machine's fault."""

RETRIES = (PASSING, KILLED)
"""Retriers of every Lambda."""

BUSY = Retry(
    errors=(ConvertersBusy.__name__,),
    attempts=200,
    first_seconds=15,
    longest_seconds=600,
)
"""All slots for giants are taken: the tries go on for 16 hours on average."""

NO_TASK = Retry(
    errors=("ECS.AmazonECSException", "ECS.ServerException", "AmazonECS.Unknown"),
    attempts=PASSING.attempts,
    first_seconds=PASSING.first_seconds,
    longest_seconds=PASSING.longest_seconds,
)
"""A task could not be started: Fargate has no room, or the quota is used up. The names are from
"Run Amazon ECS or Fargate tasks" (Step Functions) and "RunTask capacity" (re:Post)."""

TASK_KILLED = Retry(
    errors=("States.TaskFailed", "States.Timeout"),
    attempts=2,
    first_seconds=5,
    longest_seconds=300,
)
"""A task that did not end with exit code 0. States.TaskFailed matches any error but a timeout, so
this retrier has to come last."""


MAILING = Retry(
    errors=("States.ALL",),
    attempts=PASSING.attempts,
    first_seconds=PASSING.first_seconds,
    longest_seconds=PASSING.longest_seconds,
)
"""SNS did not take a mail: a second one does less harm than none."""


def add_retries(task: sfn.TaskStateBase | sfn.CustomState, retries: tuple[Retry, ...]) -> None:
    """Add `retries` to the state `task`."""
    for retry in retries:
        task.add_retry(
            errors=list(retry.errors),
            interval=cdk.Duration.seconds(retry.first_seconds),
            backoff_rate=2,
            max_attempts=retry.attempts,
            # Step Functions demands that it is longer than the interval.
            max_delay=cdk.Duration.seconds(max(retry.longest_seconds, retry.first_seconds + 1)),
            jitter_strategy=sfn.JitterType.FULL,
        )


def longest_seconds(
    task_seconds: int, retries: tuple[Retry, ...] = RETRIES, tries: int = 1 + KILLED.attempts
) -> int:
    """Return how long a state may take, if `tries` of its tries take `task_seconds` each."""
    return sum(sum(retry.pauses()) for retry in retries) + task_seconds * tries
