"""The wrapper of every Lambda handler: logs and metrics, each with the step's name.

Lambda itself makes the segment of each invocation in X-Ray.
"""

from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from vitrine.errors import (
    ConvertersBusy,
    IngestUnfinished,
    MasterRejected,
    NotMigrated,
    SupersededMaster,
)

Handler = Callable[[dict[str, Any], Any], Any]

_METRICS: dict[type[Exception], str] = {
    MasterRejected: "Rejected",
    NotMigrated: "NotMigrated",
    SupersededMaster: "Superseded",
    IngestUnfinished: "Unfinished",
    ConvertersBusy: "Waiting",
}


def lambda_step(step: str) -> Callable[[Handler], Handler]:
    """Decorate `handler(event, context)`; `step` is the handler's folder.

    It is powertools' `service`: a field of every log line, a dimension of every metric. The
    namespace, `Vitrine/` and the environment's name, is in the function's environment. Metrics are
    `Completed`, `Rejected`, `Superseded`, `NotMigrated`, `Unfinished`, `Waiting` and `Failed`.
    """

    def decorate(handler: Handler) -> Handler:
        logger = Logger(service=step)
        # Ordinary Metrics are one object per process, whichever step made it.
        metrics = EphemeralMetrics(service=step)

        def count_result(event: dict[str, Any], context: Any) -> Any:
            subject = {"master_key": event["master_key"]} if "master_key" in event else {}
            try:
                result = handler(event, context)
            except Exception as error:
                metrics.add_metric(name=_metric_name(error), unit=MetricUnit.Count, value=1)
                ended = subject | {"error": type(error).__name__}
                logger.warning("step ended", extra=ended, exc_info=True)
                raise
            metrics.add_metric(name="Completed", unit=MetricUnit.Count, value=1)
            logger.info("step completed", extra=subject)
            return result

        logged = logger.inject_lambda_context(count_result)
        measured: Handler = metrics.log_metrics(logged)
        return measured

    return decorate


def count(step: str, counts: Mapping[str, int]) -> None:
    """Emit counts as metrics in addition to the step's own, such as `started` as `Started`."""
    if not counts:
        return
    metrics = EphemeralMetrics(service=step)
    for name, value in counts.items():
        metric = "".join(word.capitalize() for word in name.split("_"))
        metrics.add_metric(name=metric, unit=MetricUnit.Count, value=value)
    metrics.flush_metrics()


def log_record(step: str, message: str, fields: Mapping[str, Any]) -> None:
    """Write one line of the step's log, with these fields."""
    Logger(service=step).info(message, extra=dict(fields))


def _metric_name(error: Exception) -> str:
    for kind, name in _METRICS.items():
        if isinstance(error, kind):
            return name
    return "Failed"
