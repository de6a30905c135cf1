"""What the roles of Lambdas and tasks may do and did, written down: on AWS, CloudTrail would."""

import json
import os
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

FOLDER = "VITRINE_EMULATOR_CALLS"
Grant = tuple[str, str]
"""An action and a resource, as a policy names them."""


def record_calls() -> None:
    """Write lines of JSON into a folder that the environment names; without it, nothing.

    Each deployed role is a line once, with the services that assume it and its grants; so is each
    call of a role, with the grants that allow it: none if nothing allows it. What a policy denies
    in so many words lacks no right, and is left out.
    """
    folder = os.environ.get(FOLDER, "")
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    recorder = _Recorder(Path(folder, f"{os.getpid()}.jsonl"))
    evaluator = recorder.evaluator
    evaluate, enforce = evaluator.evaluate, evaluator.enforce

    def evaluate_and_record(context: Any, policies: Any, *limits: Any) -> Any:
        result = evaluate(context, policies, *limits)
        if result.decision == "Allow":
            grants = _matching_grants(context, policies)
            recorder.write(context.principal_arn, context.action, context.resource_arn, grants)
        return result

    def enforce_and_record(key: str, action: str, *call: Any, **more: Any) -> Any:
        refusal = enforce(key, action, *call, **more)
        if isinstance(refusal, evaluator.EvalResult) and refusal.decision != "Deny":
            recorder.write(refusal.principal_arn, action, more.get("resource_arn", "*"), [])
        return refusal

    evaluator.evaluate, evaluator.enforce = evaluate_and_record, enforce_and_record


class _Recorder:
    def __init__(self, file: Path) -> None:
        self.evaluator: Any = import_module("ministack.core.iam_evaluator")
        self._roles: Any = import_module("ministack.services.iam")
        self._file = file.open("a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()
        self._written: set[str] = set()

    def write(self, principal: str, action: str, resource: str, grants: list[Grant]) -> None:
        _, _, session = principal.partition(":assumed-role/")
        if not session:
            return
        role = session.partition("/")[0]
        call = {"role": role, "action": action, "resource": resource}
        with self._lock:
            if role not in self._written:
                self._write_roles(principal.split(":")[4])
            self._write_once(json.dumps(call | {"allowed_by": grants}))

    def _write_roles(self, account: str) -> None:
        for name, role in self._roles._roles.items():
            if name not in self._written:
                self._written.add(name)
                policies = self.evaluator._gather_role_policies(name, account)
                grants = [
                    (action, resource)
                    for statements in policies
                    for statement in statements
                    for action in statement.actions
                    for resource in statement.resources
                    if statement.effect == "Allow"
                ]
                trust = json.dumps(role.get("AssumeRolePolicyDocument"))
                self._write_once(json.dumps({"role": name, "trust": trust, "grants": grants}))

    def _write_once(self, line: str) -> None:
        if line not in self._written:
            self._written.add(line)
            self._file.write(f"{line}\n")


def _matching_grants(context: Any, policies: Any) -> list[Grant]:
    """Return every grant that covers a call; conditions were heeded by what allowed it."""
    evaluator: Any = import_module("ministack.core.iam_evaluator")
    return [
        (action, resource)
        for statements in policies
        for statement in statements
        if statement.effect == "Allow"
        for action in statement.actions
        if evaluator._action_matches(context.action, [action], [])
        for resource in statement.resources
        if evaluator._resource_matches(context.resource_arn, [resource], [])
    ]
