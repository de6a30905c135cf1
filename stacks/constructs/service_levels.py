"""The service levels that we promise, and the alarms that ring when they are being missed.

A level is a share of good answers over 30 days; what may be bad is its budget. An alarm rings when
the budget burns so fast that it will not last: 14.4 times too fast over an hour (2 % of the month's
budget is gone) or 6 times over six hours (5 %), each confirmed by a short window, so that the alarm
ends soon after the trouble (Google, "The Site Reliability Workbook", chapter 5).
"""

from collections.abc import Callable
from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sns as sns
from constructs import Construct

from stacks.constructs.alarms import describe_alarm
from stacks.constructs.service_alarms import Threshold, add_alarm, notify

AVAILABILITY_PERCENT = 99.9
"""Answers of the edge that are no 5xx."""
QUICK_TILES_PERCENT = 95.0
"""Tiles that the gateway answers within `SLOW_TILE_SECONDS`."""


@dataclass(frozen=True)
class Window:
    """How fast the budget burns, over which long and which short time."""

    name: str
    rate: float
    long: cdk.Duration
    short: cdk.Duration


WINDOWS = (
    Window("Fast", 14.4, cdk.Duration.hours(1), cdk.Duration.minutes(5)),
    Window("Slow", 6, cdk.Duration.hours(6), cdk.Duration.minutes(30)),
)

Measure = Callable[[cdk.Duration], cloudwatch.IMetric]
"""Returns the percentage of bad answers over a period."""


class ServiceLevel(Construct):
    """A composite alarm of four, which alone notifies; unconfirmed, the two of the long windows.

    These ring at the same moment, each for itself, and end when the fault is out of their window:
    an hour or six after it.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        promised_percent: float,
        bad_percent: Measure,
        sentence: str,
        runbook: str,
        topic: sns.ITopic,
        is_confirmed: bool = True,
    ) -> None:
        super().__init__(scope, id_)
        budget = 100 - promised_percent

        def add_window(
            name: str, rate: float, period: cdk.Duration, about: str = ""
        ) -> cloudwatch.Alarm:
            percent, minutes = round(rate * budget, 3), int(period.to_minutes())
            return add_alarm(
                self,
                name,
                metric=bad_percent(period),
                threshold=Threshold(above=percent),
                sentence=f"{about}Over {minutes} minutes, more than {percent:g} % was bad.",
                runbook=runbook,
                topic=None if is_confirmed else topic,
            )

        if not is_confirmed:
            for window in WINDOWS:
                add_window(f"{window.name}Long", window.rate, window.long, f"{sentence} ")
            return
        rules = [
            cloudwatch.AlarmRule.all_of(
                add_window(f"{window.name}Long", window.rate, window.long),
                add_window(f"{window.name}Short", window.rate, window.short),
            )
            for window in WINDOWS
        ]
        composite = cloudwatch.CompositeAlarm(
            self,
            "Burning",
            alarm_rule=cloudwatch.AlarmRule.any_of(*rules),
            alarm_description=describe_alarm(sentence, runbook),
        )
        notify(composite, topic)
