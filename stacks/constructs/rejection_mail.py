"""Mail about every rejected master, for those who deliver masters."""

from string import Formatter

import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.machine_log import machine_log
from stacks.constructs.retries import MAILING, add_retries
from stacks.constructs.service_roles import service_role
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
MAX_DURATION = cdk.Duration.days(1)
TASK_SECONDS = 30


class RejectionMail(Construct):
    """ImageRejected -> `machine` -> `topic` -> the environment's address, if it has one.

    Others may subscribe to the topic. `dead_letters` keeps the events that did not start the
    machine; an execution that failed can be redriven for fourteen days.

    The machine publishes with a role of its own. EventBridge itself could publish only under a
    policy that lets the rules of every account do so: SNS knows no condition on it ("Using
    resource-based policies for Amazon EventBridge").
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        environment: Environment,
        bus: events.IEventBus,
        key: kms.IKey | None,
        dead_letters: sqs.IQueue,
    ) -> None:
        super().__init__(scope, id_)
        self.topic = sns.Topic(
            self,
            "Topic",
            enforce_ssl=True,
            master_key=key,
            display_name=f"Vitrine {environment.name}: rejected",
        )
        if environment.rejection_address:
            self.topic.add_subscription(
                subscriptions.EmailSubscription(environment.rejection_address)
            )
        self.machine = self._make_machine(environment)
        if key:
            grants.encrypt_messages(key, self.machine)
        rule = events.Rule(
            self,
            "ImageRejected",
            description="A master was rejected.",
            event_bus=bus,
            event_pattern=events.EventPattern(source=[SOURCE], detail_type=[ImageRejected.name()]),
        )
        rule.add_target(
            targets.SfnStateMachine(
                self.machine,
                input=events.RuleTargetInput.from_event_path("$.detail"),
                role=service_role(self, "MachineEventsRole", "events"),
                dead_letter_queue=dead_letters,
                max_event_age=cdk.Duration.hours(24),
                retry_attempts=185,
            )
        )

    def _make_machine(self, environment: Environment) -> sfn.StateMachine:
        # By its ARN, so that the state asks for no permission with a wildcard on the topic's key.
        topic = sns.Topic.from_topic_arn(self, "Target", self.topic.topic_arn)
        publish = tasks.SnsPublish(
            self,
            "MailRejection",
            topic=topic,
            subject="A master was rejected",
            message=sfn.TaskInput.from_text(_text()),
            task_timeout=sfn.Timeout.duration(cdk.Duration.seconds(TASK_SECONDS)),
        )
        add_retries(publish, (MAILING,))
        return sfn.StateMachine(
            self,
            "Machine",
            definition_body=sfn.DefinitionBody.from_chainable(publish),
            state_machine_type=sfn.StateMachineType.STANDARD,
            timeout=MAX_DURATION,
            tracing_enabled=True,
            logs=machine_log(self, "Machine", environment),
        )


def _text() -> str:
    """Return the mail as an expression of Step Functions over the event's detail."""
    parts = list(Formatter().parse("\n".join(LINES)))
    text = "".join(f"{before}{{}}" if name else before for before, name, *_ in parts)
    names = [name for _, name, *_ in parts if name]
    return sfn.JsonPath.format(text, *(sfn.JsonPath.string_at(f"$.{name}") for name in names))
