"""Ingest: from an upload to a published image, or to a reason why not."""

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import PERIOD, AlarmTopic, alarm_when_any
from stacks.constructs.giant_steps import conversion_seconds
from stacks.constructs.ingest_machine import IngestMachine, IngestSteps
from stacks.constructs.lambda_layers import LibvipsLayer, PowertoolsLayer
from stacks.constructs.network import Network
from stacks.constructs.python_function import PIXEL_STEPS, FunctionSize, PythonFunction
from stacks.constructs.rejection_mail import RejectionMail
from stacks.constructs.withdrawal_machine import WithdrawalMachine
from stacks.constructs.work_queue import WorkQueue, make_private_queue
from stacks.environments import Environment
from stacks.giants import giant_steps
from stacks.identify import IdentifyStack
from stacks.ingest_settings import ingest_settings
from stacks.lost_executions import queue_lost_executions
from stacks.reconcile import grant_reconciler, make_reconcile_machine
from stacks.stage import StageStack
from stacks.store import StoreStack
from stacks.withdraw import make_withdrawal_machine
from vitrine.settings.ingest import IngestSettings
from vitrine.store.layout import OWNERS

SMALL = FunctionSize()
VERIFYING = FunctionSize(memory_mebibytes=1024, timeout_seconds=300)
LAMBDA_SECONDS = 900


class IngestStack(StageStack):
    """Rule -> queue -> starter -> state machine; `alarms` is the topic of all alarms."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        network: Network | None,
        store: StoreStack,
        identify: IdentifyStack,
    ) -> None:
        super().__init__(scope, "ingest", environment=environment)
        self._environment = environment
        self._network = network
        self._store = store
        self._identify = identify
        architecture = environment.architecture
        self._powertools = PowertoolsLayer(self, "Powertools", architecture=architecture)
        self._libvips = LibvipsLayer(self, "Layer", architecture=architecture)
        self._bus = events.EventBus.from_event_bus_name(self, "Bus", environment.event_bus)
        self.alarms = AlarmTopic(self, "Alarms", environment=environment, key=self.key)
        self.failures = make_private_queue(self, "Failures")
        self.missed_reconciliations = make_private_queue(self, "MissedReconciliations")
        self.machine = IngestMachine(
            self, "Machine", environment=environment, steps=self._make_steps()
        )
        self.withdrawals = self._make_withdrawals()
        self.uploads = self._make_uploads()
        self.reconcile = self._make_reconciler()
        self._catch_lost_executions()
        mail = RejectionMail(
            self,
            "RejectionMail",
            environment=environment,
            bus=self._bus,
            key=self.key,
            dead_letters=self.uploads.dead_letters,
        )
        self._add_alarms(mail)
        self.publish_outputs(
            {
                "StateMachineArn": self.machine.state_machine_arn,
                "ReconcileFunctionName": self.reconcile.function_name,
                "FailuresQueueUrl": self.failures.queue_url,
                "EventBusName": environment.event_bus,
            }
        )

    def _make_steps(self) -> IngestSteps:
        steps = IngestSteps(
            convert_master=self._make_converters(),
            verify_access_master=self._make_function("verify_access_master", VERIFYING),
            publish_image=self._make_function("publish_image", SMALL),
            record_rejection=self._make_function("record_rejection", SMALL),
            record_failure=self._make_function("record_failure", SMALL),
            giants=giant_steps(
                self,
                environment=self._environment,
                network=self._network,
                store=self._store,
                settings=self._make_settings(),
                function=lambda step: self._make_function(step, SMALL),
            ),
        )
        self._grant_steps(steps)
        return steps

    def _make_converters(self) -> tuple[PythonFunction, ...]:
        sizes = {
            "small": self._environment.small_converter,
            "large": self._environment.large_converter,
        }
        return tuple(
            self._make_function(
                "convert_master",
                FunctionSize(
                    memory_mebibytes=size.memory_mebibytes,
                    disk_mebibytes=size.disk_mebibytes,
                    timeout_seconds=LAMBDA_SECONDS,
                    at_once=size.at_once,
                ),
                variant=name,
                converter_memory_mebibytes=size.usable_memory_mebibytes,
                converter_disk_mebibytes=size.usable_disk_mebibytes,
            )
            for name, size in sizes.items()
        )

    def _grant_steps(self, steps: IngestSteps) -> None:
        store, identify = self._store, self._identify
        converters = steps.convert_master
        # Asking whether a master is still the newest one takes the same permission as reading it.
        grants.read_objects(store.masters, steps.publish_image)
        for owner_reader in (*converters, steps.publish_image):
            grants.read_objects(store.records, owner_reader, f"{OWNERS}*")
        for converter in converters:
            grants.read_versions(store.masters, converter)
            grants.read_items(identify.identifiers, converter)
            grants.read_objects(store.access_masters, converter)
            grants.read_versions(store.access_masters, converter)
            # What was converted before counts unless it is tagged to expire.
            grants.read_tags(store.access_masters, converter)
            grants.write_objects(store.access_masters, converter)
        grants.read_objects(store.access_masters, steps.verify_access_master)
        grants.change_identifiers(store.records, identify.identifiers, steps.publish_image)
        # If an identifier becomes a redirect, the redirects that lead to it get its target.
        grants.query_index(identify.identifiers, "by-target", steps.publish_image)
        for tagger in (steps.publish_image, steps.record_rejection):
            grants.tag_objects(store.access_masters, tagger)
        grants.read_items(identify.identifiers, steps.record_rejection)
        for recorder in (steps.record_rejection, steps.record_failure):
            grants.read_objects(store.masters, recorder)
        for recorder in (steps.publish_image, steps.record_rejection, steps.record_failure):
            grants.write_items(identify.outcomes, recorder)
        for teller in (steps.publish_image, steps.record_rejection):
            grants.put_events(self._bus, teller)
        self.failures.grant_send_messages(steps.record_failure)

    def _make_uploads(self) -> WorkQueue:
        environment = self._environment
        starter = self._make_function(
            "start_ingest", SMALL, machine=self.machine, withdrawals=self.withdrawals
        )
        grants.read_objects(self._store.masters, starter)
        grants.write_items(self._identify.outcomes, starter)
        grants.put_events(self._bus, starter)
        self.machine.grant_start_execution(starter)
        self.withdrawals.grant_start_execution(starter)
        grants.list_executions(self.machine, starter)
        uploads = WorkQueue(
            self,
            "Uploads",
            worker=starter,
            parallel=environment.ingest.parallel_starts,
            alarms=self.alarms,
        )
        # The starter returns uploads that must wait to this queue, which is made after the starter.
        starter.add_environment("VITRINE_UPLOADS_QUEUE_URL", uploads.queue.queue_url)
        uploads.queue.grant_send_messages(starter)
        uploads.fill_from(
            events.Rule(
                self,
                "MasterChanged",
                description="A master was uploaded to the masters bucket, deleted or restored.",
                event_pattern=events.EventPattern(
                    source=["aws.s3"],
                    detail_type=["Object Created", "Object Deleted"],
                    detail={"bucket": {"name": [self._store.masters.bucket_name]}},
                ),
            )
        )
        return uploads

    def _make_withdrawals(self) -> WithdrawalMachine:
        return make_withdrawal_machine(
            self,
            environment=self._environment,
            withdraw=self._make_function("withdraw_image", SMALL, machine=self.machine),
            store=self._store,
            identify=self._identify,
            ingest=self.machine,
            bus=self._bus,
            alarms=self.alarms,
        )

    def _make_reconciler(self) -> PythonFunction:
        size = FunctionSize(timeout_seconds=LAMBDA_SECONDS)
        reconcile = self._make_function(
            "reconcile", size, machine=self.machine, withdrawals=self.withdrawals
        )
        grant_reconciler(
            reconcile,
            store=self._store,
            identify=self._identify,
            ingest=self.machine,
            withdrawals=self.withdrawals,
            bus=self._bus,
        )
        queues = {"UPLOADS": self.uploads.queue, "NOTIFICATIONS": self._store.notifications}
        for name, queue in queues.items():
            reconcile.add_environment(f"VITRINE_{name}_QUEUE_URL", queue.queue_url)
        self.uploads.queue.grant_send_messages(reconcile)
        make_reconcile_machine(
            self,
            environment=self._environment,
            reconcile=reconcile,
            notifications=self._store.notifications,
            missed=self.missed_reconciliations,
            alarms=self.alarms,
        )
        return reconcile

    def _catch_lost_executions(self) -> None:
        recorder = self._make_function("record_lost_execution", SMALL)
        grants.read_objects(self._store.masters, recorder)
        grants.write_items(self._identify.outcomes, recorder)
        self.failures.grant_send_messages(recorder)
        queue_lost_executions(self, recorder=recorder, machine=self.machine, alarms=self.alarms)

    def _make_function(
        self,
        step: str,
        size: FunctionSize,
        machine: IngestMachine | None = None,
        withdrawals: WithdrawalMachine | None = None,
        variant: str = "",
        **wiring: int,
    ) -> PythonFunction:
        return PythonFunction(
            self,
            step,
            environment=self._environment,
            settings=self._make_settings(machine, withdrawals, **wiring),
            layers=[self._powertools, *([self._libvips] if step in PIXEL_STEPS else [])],
            size=size,
            variant=variant,
        )

    def _make_settings(
        self,
        machine: IngestMachine | None = None,
        withdrawals: WithdrawalMachine | None = None,
        **wiring: int,
    ) -> IngestSettings:
        return ingest_settings(
            self._environment,
            self._store,
            self._identify,
            state_machine_arn=machine.state_machine_arn if machine else "",
            execution_timeout_seconds=machine.timeout_seconds if machine else 0,
            withdrawal_machine_arn=withdrawals.state_machine_arn if withdrawals else "",
            failures_queue_url=self.failures.queue_url,
            giant_seconds=conversion_seconds(),
            **wiring,
        )

    def _add_alarms(self, mail: RejectionMail) -> None:
        alarm_when_any(
            self,
            "FailuresAlarm",
            metric=self.failures.metric_approximate_number_of_messages_visible(period=PERIOD),
            topic=self.alarms,
            sentence="Masters failed for reasons that are not their own; redrive them.",
            runbook="ingests-fail",
        )
        alarm_when_any(
            self,
            "ExecutionsAlarm",
            metric=self.machine.metric_failed(period=PERIOD),
            topic=self.alarms,
            sentence="Executions of the ingest state machine failed.",
            runbook="ingests-fail",
        )
        alarm_when_any(
            self,
            "RejectionMailAlarm",
            metric=mail.machine.metric_failed(period=PERIOD),
            topic=self.alarms,
            sentence="Mails about rejected masters were not sent; redrive the executions.",
            runbook="messages-could-not-be-used",
        )
