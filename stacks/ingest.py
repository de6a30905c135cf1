"""Ingest: from an upload to a published image, or to a reason why not."""

from aws_cdk import aws_events as events
from constructs import Construct

from stacks.constructs import grants
from stacks.constructs.alarms import PERIOD, AlarmTopic, alarm_when_any
from stacks.constructs.ingest_machine import IngestMachine, IngestSteps
from stacks.constructs.libvips_layer import LibvipsLayer
from stacks.constructs.python_function import FunctionSize, PythonFunction
from stacks.constructs.work_queue import WorkQueue, private_queue
from stacks.environments import Environment
from stacks.identify import IdentifyStack
from stacks.stage import StageStack
from stacks.store import StoreStack
from vitrine.settings import IngestSettings

SMALL = FunctionSize()


class IngestStack(StageStack):
    """Rule -> queue -> starter -> state machine; `alarms` is the topic of all alarms."""

    def __init__(
        self,
        scope: Construct,
        *,
        environment: Environment,
        store: StoreStack,
        identify: IdentifyStack,
    ) -> None:
        super().__init__(scope, "ingest", environment=environment)
        self._environment = environment
        self._store = store
        self._identify = identify
        self._layer = LibvipsLayer(self, "Layer", architecture=environment.architecture)
        self._bus = events.EventBus.from_event_bus_name(self, "Bus", "default")
        self.alarms = AlarmTopic(self, "Alarms", environment=environment)
        self.failures = private_queue(self, "Failures")
        self.machine = IngestMachine(self, "Machine", environment=environment, steps=self._steps())
        self.uploads = self._uploads()
        self._alarm()
        self.publish_outputs(
            {
                "StateMachineArn": self.machine.state_machine_arn,
                "FailuresQueueUrl": self.failures.queue_url,
                "IngestQueueUrl": self.uploads.queue.queue_url,
            }
        )

    def _steps(self) -> IngestSteps:
        converter = self._environment.converter
        large = FunctionSize(
            memory_mebibytes=converter.memory_mebibytes,
            disk_mebibytes=converter.disk_mebibytes,
            timeout_seconds=900,
        )
        steps = IngestSteps(
            read_header=self._function("read_header", FunctionSize(memory_mebibytes=1024)),
            convert_master=self._function("convert_master", large),
            verify_access_master=self._function("verify_access_master", large),
            publish_image=self._function("publish_image", SMALL),
            record_rejection=self._function("record_rejection", SMALL),
            record_failure=self._function("record_failure", SMALL),
        )
        self._grant(steps)
        return steps

    def _grant(self, steps: IngestSteps) -> None:
        store, identify = self._store, self._identify
        # A step that only asks whether its master is still the newest needs the same permission.
        for reader in (steps.read_header, steps.convert_master, steps.publish_image):
            grants.read_objects(store.masters, reader)
        grants.read_items(identify.identifiers, steps.read_header)
        grants.read_objects(store.access_masters, steps.convert_master)
        grants.write_objects(store.access_masters, steps.convert_master)
        grants.read_objects(store.access_masters, steps.verify_access_master)
        grants.write_items(identify.identifiers, steps.publish_image)
        for recorder in (steps.record_rejection, steps.record_failure):
            grants.read_objects(store.masters, recorder)
        for recorder in (steps.publish_image, steps.record_rejection, steps.record_failure):
            grants.write_items(identify.outcomes, recorder)
        for teller in (steps.publish_image, steps.record_rejection):
            grants.put_events(self._bus, teller)
        self.failures.grant_send_messages(steps.record_failure)

    def _uploads(self) -> WorkQueue:
        starter = self._function("start_ingest", SMALL, machine=self.machine)
        grants.read_objects(self._store.masters, starter)
        grants.write_items(self._identify.outcomes, starter)
        grants.put_events(self._bus, starter)
        self.machine.grant_start_execution(starter)
        uploads = WorkQueue(
            self,
            "Uploads",
            worker=starter,
            parallel=self._environment.converter.parallel_starts,
            alarms=self.alarms,
        )
        uploads.fill_from(
            events.Rule(
                self,
                "MasterUploaded",
                description="A master, or a new version of one, lies in the masters bucket.",
                event_pattern=events.EventPattern(
                    source=["aws.s3"],
                    detail_type=["Object Created"],
                    detail={"bucket": {"name": [self._store.masters.bucket_name]}},
                ),
            )
        )
        return uploads

    def _function(
        self, step: str, size: FunctionSize, machine: IngestMachine | None = None
    ) -> PythonFunction:
        converter = self._environment.converter
        settings = IngestSettings(
            masters_bucket=self._store.masters.bucket_name,
            access_masters_bucket=self._store.access_masters.bucket_name,
            identifiers_table=self._identify.identifiers.table_name,
            outcomes_table=self._identify.outcomes.table_name,
            state_machine_arn=machine.state_machine_arn if machine else "",
            failures_queue_url=self.failures.queue_url,
            # The disk holds a master and more, so a master that fills it cannot be converted.
            maximum_master_mebibytes=converter.usable_disk_mebibytes,
            maximum_memory_mebibytes=converter.usable_memory_mebibytes,
            maximum_disk_mebibytes=converter.usable_disk_mebibytes,
        )
        return PythonFunction(
            self,
            step,
            environment=self._environment,
            settings=settings,
            layer=self._layer,
            size=size,
        )

    def _alarm(self) -> None:
        alarm_when_any(
            self,
            "FailuresAlarm",
            metric=self.failures.metric_approximate_number_of_messages_visible(period=PERIOD),
            topic=self.alarms,
            sentence="Masters failed for reasons that are not their own; redrive them.",
        )
        alarm_when_any(
            self,
            "ExecutionsAlarm",
            metric=self.machine.metric_failed(period=PERIOD),
            topic=self.alarms,
            sentence="Executions of the ingest state machine failed.",
        )
