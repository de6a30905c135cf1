"""Mail about every rejected master, for those who deliver masters."""

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.environments import Environment
from vitrine.events import SOURCE, ImageRejected

LINES = (
    "The master {master_key} was not published as {identifier}.",
    "",
    "{sentence}",
    "Seen: {value}",
    "Code: {code}, explained in docs/reference/rejections.md",
    "At: {rejected_at}",
)
"""SNS mails them one per line, each in quotes, as EventBridge's templates have them."""


class RejectionMail(Construct):
    """ImageRejected -> `topic` -> the environment's address, if it has one.

    Others may subscribe to the topic. `dead_letters` keeps what SNS did not accept.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        bus: events.IEventBus,
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id_)
        self.topic = sns.Topic(
            self, "Topic", enforce_ssl=True, display_name=f"Vitrine {environment.name}: rejected"
        )
        if environment.rejection_address:
            self.topic.add_subscription(
                subscriptions.EmailSubscription(environment.rejection_address)
            )
        rule = events.Rule(
            self,
            "ImageRejected",
            description="A master was rejected.",
            event_bus=bus,
            event_pattern=events.EventPattern(source=[SOURCE], detail_type=[ImageRejected.name()]),
        )
        # By its ARN, so that the target adds no permission for the rules of any account.
        topic = sns.Topic.from_topic_arn(self, "Target", self.topic.topic_arn)
        cdk.Annotations.of(rule).acknowledge_warning(
            "@aws-cdk/aws-events:ruleUnresolvedEnvironment", "The topic is in the rule's own stack."
        )
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                actions=["sns:Publish"],
                principals=[iam.ServicePrincipal("events.amazonaws.com")],
                resources=[self.topic.topic_arn],
                conditions={"ArnEquals": {"aws:SourceArn": rule.rule_arn}},
            )
        )
        rule.add_target(
            targets.SnsTopic(
                topic,
                message=events.RuleTargetInput.from_multiline_text(_text()),
                dead_letter_queue=dead_letters,
                max_event_age=cdk.Duration.hours(24),
                retry_attempts=185,
            )
        )


def _text() -> str:
    fields = ImageRejected.fields()
    paths = {name: events.EventField.from_path(f"$.detail.{name}") for name in fields}
    return "\n".join(LINES).format_map(paths)
