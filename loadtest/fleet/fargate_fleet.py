"""Load generators on AWS: starts their tasks, follows them, brings the result back."""

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from loadtest.errors import InvalidScenario
from loadtest.fleet.locust_command import LoadTest, Progress, check_test, describe_reproduction
from loadtest.fleet.task_spec import TaskSpec
from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.errors import translate_errors
from vitrine.errors import ObjectMissing, TransientError

CHANNEL = 5557
"""Port between master and workers; the stack's security group admits it."""
OUTPUTS = (
    *("RunsBucketName", "ClusterName", "TaskDefinitionArn"),
    *("LogGroupName", "SecurityGroupId", "SubnetIds"),
)
"""Outputs of the stack of load generators."""
CONTAINER = "loadtest"
_SPEC_SECONDS = 3_600
"""Validity of a specification's address: tasks read it when they start."""
_START_SECONDS = 300.0
_AT_ONCE = 10
"""Tasks that one RunTask starts."""
_LAST_WORDS = 12
_MAX_RUN = 200


@dataclass(kw_only=True)
class Fleet:
    """Generators of one environment."""

    access: AwsAccess
    outputs: Mapping[str, str]
    """Values of OUTPUTS."""
    port: int = CHANNEL
    look_seconds: float = 2.0

    def run(
        self, test: LoadTest, generators: int, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Run it to its end, or until Ctrl-C: then the tasks sum up what they have, and `complete`
        is False in what it gives back.

        Raises InvalidScenario for what cannot be run, and TransientError where AWS gives no task,
        or a task no result.
        """
        check_test(test)
        if not 1 <= generators <= _MAX_RUN:
            raise InvalidScenario(f"--generators {generators}: give 1 to {_MAX_RUN}")
        name = f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S}-{secrets.token_hex(3)}"
        spec = self._store_spec(name, TaskSpec.of(test))
        place = f"s3://{self.outputs['RunsBucketName']}/{_result(name)}"
        words = ["--brief", spec, "--port", str(self.port)]
        with translate_errors("load generators"), self._stopped_at_the_end() as tasks:
            leading = ["master", *words, "--workers", str(generators), "--results", place]
            master = self._start_tasks(leading, 1)[0]
            tasks.append(master)
            address = self._await_address(master)
            for first in range(0, generators, _AT_ONCE):
                count = min(_AT_ONCE, generators - first)
                tasks += self._start_tasks(["worker", *words, "--master", address], count)
            self._follow_master(master, progress)
        return self._result(name, master) | describe_reproduction(test) | {"result": place}

    def _store_spec(self, name: str, spec: TaskSpec) -> str:
        """Store the specification; return its signed address: the tasks' role may read nothing."""
        bucket, key = self.outputs["RunsBucketName"], f"inputs/{name}.json"
        with translate_errors(key):
            self._s3.put_object(Bucket=bucket, Key=key, Body=spec.to_json().encode())
        return self.access.presign_read(bucket, key, _SPEC_SECONDS)

    def _start_tasks(self, command: list[str], count: int) -> list[str]:
        """ARNs of the tasks. Raises TransientError."""
        answer = self._ecs.run_task(
            cluster=self.outputs["ClusterName"],
            taskDefinition=self.outputs["TaskDefinitionArn"],
            count=count,
            launchType="FARGATE",
            overrides={"containerOverrides": [{"name": CONTAINER, "command": command}]},
            networkConfiguration={
                "awsvpcConfiguration": {
                    "subnets": self.outputs["SubnetIds"].split(","),
                    "securityGroups": [self.outputs["SecurityGroupId"]],
                    "assignPublicIp": "ENABLED",
                }
            },
        )
        if answer["failures"]:
            reasons = {failure.get("reason", "no reason given") for failure in answer["failures"]}
            self._stop_tasks([task["taskArn"] for task in answer["tasks"]])
            raise TransientError(f"AWS starts no generator: {', '.join(sorted(reasons))}")
        return [task["taskArn"] for task in answer["tasks"]]

    def _await_address(self, master: str) -> str:
        """Return the private address of the master once it runs. Raises TransientError."""
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            task = self._describe_task(master)
            if task["lastStatus"] == "STOPPED":
                raise TransientError(f"the master did not start: {_stop_reason(task)}")
            if task["lastStatus"] == "RUNNING":
                for detail in (d for a in task["attachments"] for d in a["details"]):
                    if detail["name"] == "privateIPv4Address":
                        return str(detail["value"])
            time.sleep(self.look_seconds)
        raise TransientError(f"the master did not start within {_START_SECONDS:g} s")

    def _follow_master(self, master: str, progress: Progress | None) -> None:
        """Until it has ended; Ctrl-C ends it in an orderly way, once."""
        seen: str | None = None
        while True:
            try:
                seen = self._read_log(master, seen, progress)
                if self._describe_task(master)["lastStatus"] == "STOPPED":
                    return
                time.sleep(self.look_seconds)
            except KeyboardInterrupt:
                self._stop_tasks([master])

    def _read_log(self, master: str, token: str | None, progress: Progress | None) -> str | None:
        events = self._read_events(master, token)
        for event in events.get("events", ()):
            entry = _parse_entry(event["message"])
            if progress and entry.get("line") == "progress":
                progress(entry)
        return events.get("nextForwardToken", token)

    def _read_events(self, master: str, token: str | None) -> dict[str, Any]:
        from_there = {"nextToken": token} if token else {}
        try:
            events: dict[str, Any] = self._logs.get_log_events(
                logGroupName=self.outputs["LogGroupName"],
                logStreamName=f"{CONTAINER}/{CONTAINER}/{master.rpartition('/')[2]}",
                startFromHead=True,
                **from_there,
            )
        except self._logs.exceptions.ResourceNotFoundException:
            return {}  # it has not written anything yet
        return events

    def _result(self, name: str, master: str) -> dict[str, Any]:
        try:
            with translate_errors(_result(name)):
                answer = self._s3.get_object(
                    Bucket=self.outputs["RunsBucketName"], Key=_result(name)
                )
                result: dict[str, Any] = json.load(answer["Body"])
                return result
        except ObjectMissing:
            events = self._read_events(master, None).get("events", [])
            words = "\n".join(event["message"] for event in events[-_LAST_WORDS:])
            reason = _stop_reason(self._describe_task(master))
            raise TransientError(f"the load test left no result ({reason}):\n{words}") from None

    @contextmanager
    def _stopped_at_the_end(self) -> Iterator[list[str]]:
        """Whatever happens, no task that was started goes on."""
        tasks: list[str] = []
        try:
            yield tasks
        finally:
            self._stop_tasks(tasks)

    def _stop_tasks(self, tasks: list[str]) -> None:
        for task in tasks:
            self._ecs.stop_task(cluster=self.outputs["ClusterName"], task=task)

    def _describe_task(self, task: str) -> dict[str, Any]:
        answer = self._ecs.describe_tasks(cluster=self.outputs["ClusterName"], tasks=[task])
        if not answer["tasks"]:
            raise TransientError(f"AWS does not know of {task}")
        found: dict[str, Any] = answer["tasks"][0]
        return found

    @property
    def _ecs(self) -> Any:
        return self.access.client("ecs")

    @property
    def _logs(self) -> Any:
        return self.access.client("logs")

    @property
    def _s3(self) -> Any:
        return self.access.client("s3")


def _result(name: str) -> str:
    return f"results/{name}.json"


def _stop_reason(task: Mapping[str, Any]) -> str:
    reasons = [container.get("reason", "") for container in task.get("containers", ())]
    return (
        "; ".join(word for word in (task.get("stoppedReason", ""), *reasons) if word) or "no reason"
    )


def _parse_entry(line: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}
