"""The wrapper of every Lambda handler: logs and metrics, each with the step's name.

Lambda itself makes the segment of each invocation in X-Ray.
"""

from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from vitrine.errors import (
    ConvertersBusy,
    ConverterTooSmall,
    IngestUnfinished,
    MasterRejected,
    NotMigrated,
    SupersededMaster,
)

Handler = Callable[[dict[str, Any], Any], Any]

_METRICS: dict[type[Exception], str] = {
    MasterRejected: "rejected",
    NotMigrated: "not_migrated",
    SupersededMaster: "superseded",
    IngestUnfinished: "unfinished",
    ConvertersBusy: "waiting",
    ConverterTooSmall: "passed_on",
}


def lambda_step(step: str) -> Callable[[Handler], Handler]:
    """Decorate `handler(event, context)`; `step` is the handler's folder.

    It is powertools' `service`: a field of every log line, a dimension of every metric. The
    namespace, `Vitrine/` and the environment's name, is in the function's environment. Metrics are
    `Rejected`, `Superseded`, `NotMigrated`, `Unfinished`, `Waiting`, `PassedOn` and `Failed`. What
    ends well is in Lambda's own `Invocations`: a metric of ours would cost its month for every
    clocked step.
    """

    def decorate(handler: Handler) -> Handler:
        logger = Logger(service=step)

        def count_result(event: dict[str, Any], context: Any) -> Any:
            subject = {"master_key": event["master_key"]} if "master_key" in event else {}
            try:
                result = handler(event, context)
            except Exception as error:
                count(step, {_metric_name(error): 1})
                ended = subject | {"error": type(error).__name__}
                logger.warning("step ended", extra=ended, exc_info=True)
                raise
            logger.info("step completed", extra=subject)
            return result

        logged: Handler = logger.inject_lambda_context(count_result)
        return logged

    return decorate


def count(step: str, counts: Mapping[str, int]) -> None:
    """Emit counts that are not zero as metrics, such as `started` as `Started`.

    A metric costs its price in every hour in which it has a value, zero too (CloudWatch pricing).
    """
    if not any(counts.values()):
        return
    # Ordinary Metrics are one object per process, whichever step made it.
    metrics = EphemeralMetrics(service=step)
    for name, value in counts.items():
        metric = "".join(word.capitalize() for word in name.split("_"))
        if value:
            metrics.add_metric(name=metric, unit=MetricUnit.Count, value=value)
    metrics.flush_metrics()


def log_record(step: str, message: str, fields: Mapping[str, Any]) -> None:
    """Write one line of the step's log, with these fields."""
    Logger(service=step).info(message, extra=dict(fields))


def _metric_name(error: Exception) -> str:
    for kind, name in _METRICS.items():
        if isinstance(error, kind):
            return name
    return "failed"
