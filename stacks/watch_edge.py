"""Watch edge: what CloudFront measures is in its own region, and so are the alarms on it."""

import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from stacks.constructs.alarms import AlarmTopic
from stacks.constructs.cost_budget import CostBudget
from stacks.constructs.service_alarms import Threshold, add_alarm
from stacks.constructs.service_levels import AVAILABILITY_PERCENT, ServiceLevel
from stacks.environments import Environment
from stacks.stage import GLOBAL_REGION, StageStack

CERTIFICATE_DAYS = 30
"""AWS renews a certificate sixty days before its end: half of them have passed in vain."""


class WatchEdgeStack(StageStack):
    """Availability as viewers see it, the certificate, and the month's costs."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        distribution: cloudfront.IDistribution,
        alarms: AlarmTopic,
    ) -> None:
        """`alarms` is the topic of the environment's region, which alarms of another cannot use."""
        super().__init__(scope, "watch", environment=environment, region=GLOBAL_REGION)
        self._distribution_id = distribution.distribution_id
        topic = alarms if environment.region == GLOBAL_REGION else self._make_topic(environment)
        ServiceLevel(
            self,
            "Availability",
            promised_percent=AVAILABILITY_PERCENT,
            bad_percent=self._error_percent,
            sentence=(
                f"Viewers get errors: of the {100 - AVAILABILITY_PERCENT:g} % that may fail in a "
                "month, too much is being used up."
            ),
            runbook="visitors-get-errors",
            topic=topic,
            is_confirmed=environment.image_function is None,
        )
        if environment.certificate_arn:
            self._watch_certificate(environment.certificate_arn, topic)
        if environment.monthly_budget_dollars and environment.alarm_address:
            CostBudget(
                self,
                "Budget",
                environment=environment,
                dollars=environment.monthly_budget_dollars,
                address=environment.alarm_address,
            )

    def _make_topic(self, environment: Environment) -> AlarmTopic:
        return AlarmTopic(self, "Alarms", environment=environment, key=self.key)

    def _error_percent(self, period: cdk.Duration) -> cloudwatch.IMetric:
        return cloudwatch.Metric(
            namespace="AWS/CloudFront",
            metric_name="5xxErrorRate",
            dimensions_map={"DistributionId": self._distribution_id, "Region": "Global"},
            statistic="Average",
            period=period,
        )

    def _watch_certificate(self, arn: str, topic: AlarmTopic) -> None:
        add_alarm(
            self,
            "Certificate",
            metric=cloudwatch.Metric(
                namespace="AWS/CertificateManager",
                metric_name="DaysToExpiry",
                dimensions_map={"CertificateArn": arn},
                statistic="Minimum",
                period=cdk.Duration.days(1),
            ),
            threshold=Threshold(below=CERTIFICATE_DAYS),
            sentence=f"The certificate ends in less than {CERTIFICATE_DAYS} days.",
            runbook="the-certificate-ends",
            topic=topic,
        )
