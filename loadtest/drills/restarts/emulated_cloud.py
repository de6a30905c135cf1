"""S3 and DynamoDB of the drill's tasks: the emulator, which can be restarted under them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loadtest.drills.restarts.drilled_task import Changes, Containers
from rigs.access_master import read_live
from rigs.service_instance import Instance, start_instance
from vitrine.adapters.aws.stack_outputs import stack_outputs
from vitrine.bootstrap.local_service import local_service
from vitrine.local import emulator, process, task
from vitrine.local.process import Process


class EmulatedCloud:
    """A deployed service, whose image tasks are started by the drill."""

    def __init__(self, directory: Path, service: Instance) -> None:
        self._directory = directory
        self._service = service
        place = local_service()
        self._region = place.region
        self._port = int(place.emulator_url.rpartition(":")[2])
        stacks = service.access.client("cloudformation")
        store = stack_outputs(stacks, f"vitrine-{place.stage}-store")
        self._bucket = store["AccessMastersBucketName"]
        arn = stack_outputs(stacks, f"vitrine-{place.stage}-deliver")["TaskDefinitionArn"]
        found = service.access.client("ecs").describe_task_definition(taskDefinition=arn)
        self._definition = found["taskDefinition"]

    def publish(self, master: Path) -> None:
        """Make an access master live under its own name, as a finished ingest does."""
        record = read_live(master)
        s3 = self._service.access.client("s3")
        s3.upload_file(str(master), self._bucket, record.access_master_key)
        self._service.service.identifiers.write(record, None)

    @property
    def containers(self) -> Containers:
        """The deployed task definition's, reading from the emulator with the task's role."""

        def containers(work: Path, port: int, changes: Changes) -> list[Process]:
            return task.container_processes(
                self._definition,
                directory=work / "task",
                region=self._region,
                emulator_port=self._port,
                changes=task.setting_overrides(edge_port=port, origin_port=port)
                | {"VITRINE_DERIVATIVE_CACHE_MEBIBYTES": "0"}
                | changes,
            )

        return containers

    def restart(self) -> None:
        """Stop what plays S3 and DynamoDB, and start it again. Raises ProcessDied, TimeoutError."""
        notes = process.read_notes(self._directory)
        (running,) = [item for item in notes if item.name == emulator.NAME]
        process.stop(running, self._directory)
        emulator.start(self._directory, self._port, self._region)


@contextmanager
def emulated_cloud(directory: Path) -> Iterator[EmulatedCloud]:
    """Deploy the templates to an emulator with its state in `directory`; stop it at the end."""
    with start_instance(directory) as service:
        yield EmulatedCloud(directory.resolve(), service)
