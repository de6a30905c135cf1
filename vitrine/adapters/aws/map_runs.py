"""The migration's state machine: its executions, and the Map Run that each has."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from vitrine.adapters.aws.errors import translate_errors
from vitrine.errors import MigrationUnusable
from vitrine.migrate.messages import MASTERS_AT_ONCE
from vitrine.migrate.services import MapProgress

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

_STATUS: dict[str, Literal["running", "succeeded", "failed"]] = {
    "RUNNING": "running",
    "PENDING_REDRIVE": "running",
    "SUCCEEDED": "succeeded",
}


class StepFunctionsMapRuns:
    """Executions are found by their names, so nothing about them has to be stored."""

    def __init__(self, client: "SFNClient", state_machine_arn: str) -> None:
        self._client = client
        self._machine = state_machine_arn

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        with translate_errors(name):
            try:
                self._client.start_execution(
                    stateMachineArn=self._machine, name=name, input=json.dumps(dict(request))
                )
            except self._client.exceptions.ExecutionAlreadyExists:
                return False
        return True

    def progress(self, name: str) -> MapProgress:
        with translate_errors(name):
            try:
                execution = self._client.describe_execution(executionArn=self._execution_arn(name))
            except self._client.exceptions.ExecutionDoesNotExist:
                return MapProgress(status="unknown")
        status = _STATUS.get(execution["status"], "failed")
        cause = f"{execution.get('error', '')} {execution.get('cause', '')}".strip()
        run = self._map_run(name)
        if run is None:
            return MapProgress(status=status, cause=cause)
        counts = run["itemCounts"]
        unsuccessful = counts["failed"] + counts["timedOut"] + counts["aborted"]
        return MapProgress(
            status=status,
            done=counts["succeeded"] + unsuccessful,
            unsuccessful=unsuccessful,
            cause=cause,
        )

    def limit(self, name: str, at_once: int) -> bool:
        run = self._map_run(name)
        if run is None:
            return False
        children = max(1, at_once // MASTERS_AT_ONCE)
        if children > run["maxConcurrency"] > 0:
            raise MigrationUnusable(
                f"At most {run['maxConcurrency'] * MASTERS_AT_ONCE} masters can be migrated at "
                "once here; the migration continues with that number."
            )
        with translate_errors(name):
            self._client.update_map_run(mapRunArn=run["mapRunArn"], maxConcurrency=children)
        return True

    def _map_run(self, name: str) -> Any:
        with translate_errors(name):
            found = self._client.list_map_runs(executionArn=self._execution_arn(name))["mapRuns"]
            if not found:
                return None
            return self._client.describe_map_run(mapRunArn=found[0]["mapRunArn"])

    def _execution_arn(self, name: str) -> str:
        return f"{self._machine.replace(':stateMachine:', ':execution:')}:{name}"
