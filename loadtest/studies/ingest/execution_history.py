"""The time that an execution spent in each state, from Step Functions' own history."""

from dataclasses import dataclass

from loadtest.rigs.service_instance import Instance

CONVERT = "ConvertMaster"
"""Prefix of the names of the converting states."""


@dataclass(frozen=True, kw_only=True)
class Stay:
    """A stay in one state; times are seconds since the epoch."""

    state: str
    entered: float
    left: float

    @property
    def seconds(self) -> float:
        return self.left - self.entered


def stays(instance: Instance, execution: str) -> list[Stay]:
    """Return the states that this execution went through, in order."""
    arn = instance.machine_arn.replace(":stateMachine:", ":execution:") + f":{execution}"
    client = instance.access.client("stepfunctions")
    events = client.get_execution_history(executionArn=arn, maxResults=1_000)["events"]
    found: list[Stay] = []
    entered: dict[str, float] = {}
    for event in events:
        time = event["timestamp"].timestamp()
        if "stateEnteredEventDetails" in event:
            entered[event["stateEnteredEventDetails"]["name"]] = time
        if "stateExitedEventDetails" in event:
            state = event["stateExitedEventDetails"]["name"]
            found.append(Stay(state=state, entered=entered[state], left=time))
    return found


def conversion(found: list[Stay]) -> Stay:
    """Return the stay in the converting state."""
    return next(stay for stay in found if stay.state.startswith(CONVERT))
