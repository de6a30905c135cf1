"""Alarms, and the topic that they notify."""

from aws_cdk import Duration, Fn
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from stacks.environments import Environment


class AlarmTopic(sns.Topic):
    """The topic of all alarms of an environment, whose address has to confirm the first mail.

    Without a key, SNS keeps what waits on encrypted disks of its own (SNS, "Data encryption"), and
    sends it by mail. CloudWatch cannot publish to a topic under the key that SNS has of AWS.
    """

    def __init__(
        self, scope: Construct, id_: str, *, environment: Environment, key: kms.IKey | None
    ) -> None:
        super().__init__(scope, id_, enforce_ssl=True, master_key=key)
        account = environment.account
        # A topic with a policy of its own loses the default one, which lets alarms publish.
        self.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["sns:Publish"],
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                resources=[self.topic_arn],
                conditions={
                    "StringEquals": {"aws:SourceAccount": account},
                    "ArnLike": {
                        "aws:SourceArn": Fn.sub(
                            f"arn:${{AWS::Partition}}:cloudwatch:*:{account}:alarm:*"
                        )
                    },
                },
            )
        )
        if environment.alarm_address:
            self.add_subscription(subscriptions.EmailSubscription(environment.alarm_address))


RUNBOOKS = "docs/runbooks"


def describe_alarm(sentence: str, runbook: str) -> str:
    """Return the text of an alarm's mail: what is wrong, and which run book says what to do."""
    return f"{sentence} What to do: {RUNBOOKS}/{runbook}.md"


def alarm_when_any(
    scope: Construct,
    id_: str,
    *,
    metric: cloudwatch.IMetric,
    topic: sns.ITopic,
    sentence: str,
    runbook: str,
) -> cloudwatch.Alarm:
    """Add an alarm that fires when `metric` is above zero; `runbook` says what to do then."""
    alarm = cloudwatch.Alarm(
        scope,
        id_,
        metric=metric,
        threshold=0,
        evaluation_periods=1,
        comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
        treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        alarm_description=describe_alarm(sentence, runbook),
    )
    alarm.add_alarm_action(actions.SnsAction(topic))
    return alarm


def alarm_when_none(
    scope: Construct,
    id_: str,
    *,
    metric: cloudwatch.IMetric,
    hours: int,
    topic: sns.ITopic,
    sentence: str,
    runbook: str,
) -> cloudwatch.Alarm:
    """Add an alarm that fires when `metric`, a sum by the hour, has no value above zero in `hours`.

    CloudWatch looks back seven days at most ("Evaluating an alarm").
    """
    alarm = cloudwatch.Alarm(
        scope,
        id_,
        metric=metric,
        threshold=1,
        evaluation_periods=hours,
        comparison_operator=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
        treat_missing_data=cloudwatch.TreatMissingData.BREACHING,
        alarm_description=describe_alarm(sentence, runbook),
    )
    alarm.add_alarm_action(actions.SnsAction(topic))
    return alarm


PERIOD = Duration.minutes(5)
