"""A Step Functions state machine."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vitrine.adapters.aws.errors import translate_errors

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient


class StepFunctionsPipeline:
    """Execution names are unique for 90 days: a second start with the same name is rejected."""

    def __init__(self, client: "SFNClient", state_machine_arn: str) -> None:
        self._client = client
        self._state_machine_arn = state_machine_arn

    def start(self, name: str, request: Mapping[str, Any]) -> bool:
        with translate_errors(name):
            try:
                self._client.start_execution(
                    stateMachineArn=self._state_machine_arn,
                    name=name,
                    input=json.dumps(dict(request), ensure_ascii=False),
                )
            except self._client.exceptions.ExecutionAlreadyExists:
                return False
        return True

    def running(self) -> int:
        return len(self.running_names())

    def is_running(self, name: str) -> bool:
        machine = self._state_machine_arn.replace(":stateMachine:", ":execution:")
        with translate_errors(name):
            try:
                found = self._client.describe_execution(executionArn=f"{machine}:{name}")
            except self._client.exceptions.ExecutionDoesNotExist:
                return False
        return found["status"] == "RUNNING"

    def running_names(self) -> set[str]:
        """List one page of executions: the quota of ListExecutions allows it every few seconds."""
        with translate_errors("running executions"):
            page = self._client.list_executions(
                stateMachineArn=self._state_machine_arn, statusFilter="RUNNING", maxResults=1_000
            )
        return {execution["name"] for execution in page["executions"]}
