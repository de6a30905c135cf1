"""Patches of ministack's ECS; the package says what a patch is.

There is no engine for containers on one machine, so a task is a process. What it runs is read from
its deployed definition and the overrides of its start: there is no second list. Tasks of services
are started by `vitrine up`.
"""

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextvars import Context, ContextVar, copy_context
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from .access_patches import role_credentials

REPOSITORY = Path(__file__).resolve().parents[3]
RUN_TASK = "ecs:runTask.sync"
SIGNALLED = 128
"""The exit code of a container that a signal ended is 128 and the signal's number (ECS, "Stopped
tasks")."""
ROOT_CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
ESSENTIAL = "EssentialContainerExited"

_running: dict[str, subprocess.Popen[bytes]] = {}


def patches(parallel_tasks: int) -> dict[str, Callable[[], None]]:
    """Return the patches by name; at most `parallel_tasks` tasks run at the same time."""
    return {
        "run_tasks": partial(run_tasks, parallel_tasks),
        "fail_with_task": fail_with_task,
        "stop_task_at_timeout": stop_task_at_timeout,
    }


def run_tasks(parallel_tasks: int) -> None:
    """Run the command of a started task, with the environment of its definition and its overrides.

    ministack: without Docker, RunTask in `services/ecs.py` starts nothing, and the task stays
    RUNNING forever.
    AWS: RunTask "starts a new task using the specified task definition"; when its essential
    container exits, the task is STOPPED with stop code EssentialContainerExited and the exit code,
    and StopTask ends it (ECS, "Amazon ECS task lifecycle").
    Symptom: no giant is ever converted.
    """
    ecs: Any = import_module("ministack.services.ecs")
    responses: Any = import_module("ministack.core.responses")
    run, stop = ecs._run_task, ecs._stop_task
    slots = threading.Semaphore(parallel_tasks)

    def run_and_start(data: Any) -> Any:
        status, headers, body = run(data)
        if status < 400 and not str(data.get("group", "")).startswith("service:"):
            scope = responses.get_account_id(), responses.get_region()
            for started in json.loads(body).get("tasks", ()):
                task = ecs._tasks[started["taskArn"]]
                work = (ecs, responses, task, scope, slots)
                threading.Thread(target=_run_task, args=work, daemon=True).start()
        return status, headers, body

    def stop_and_kill(data: Any) -> Any:
        result = stop(data)
        child = _running.get(str(data.get("task", "")))
        if child is not None:
            child.kill()
        return result

    ecs._run_task, ecs._stop_task = run_and_start, stop_and_kill
    ecs._ACTION_MAP |= {"RunTask": run_and_start, "StopTask": stop_and_kill}


def fail_with_task(seconds: float = 0.2) -> None:
    """End the state that waits for a task with that task, as its containers' exit codes say.

    ministack: `_poll_ecs_tasks` in `services/stepfunctions.py` lets the state succeed whatever the
    exit code, looks once a second, and gives up after ten minutes.
    AWS: `.sync` waits for the task, and fails with States.TaskFailed unless all containers exited
    with 0; the cause describes the task in Pascal case (Step Functions, "Run Amazon ECS or Fargate
    tasks").
    Symptom: a killed conversion passes for a good one, and one of an hour is a timeout.
    """
    machines: Any = import_module("ministack.services.stepfunctions")
    ecs: Any = import_module("ministack.services.ecs")
    pause = threading.Event()

    def wait(cluster: str, arns: list[str]) -> Any:
        while True:
            result = json.loads(ecs._describe_tasks({"cluster": cluster, "tasks": arns})[2])
            tasks = result["tasks"]
            if all(task["lastStatus"] == "STOPPED" for task in tasks):
                break
            pause.wait(seconds)
        for task in tasks:
            if any(container.get("exitCode") != 0 for container in task["containers"]):
                raise machines._ExecutionError(
                    "States.TaskFailed", json.dumps(_to_pascal_case(task))
                )
        return result

    machines._poll_ecs_tasks = wait


def stop_task_at_timeout() -> None:
    """Stop the task that a state waits for when the state is out of time.

    ministack: `_invoke_resource_with_timeout` in `services/stepfunctions.py` raises States.Timeout
    and leaves the task running.
    AWS: Step Functions stops the task, for which the role needs ecs:StopTask (Step Functions, "Run
    Amazon ECS or Fargate tasks", IAM policies for `.sync`).
    Symptom: the conversion that is tried again runs twice at the same time.
    """
    machines: Any = import_module("ministack.services.stepfunctions")
    ecs: Any = import_module("ministack.services.ecs")
    started: ContextVar[list[str] | None] = ContextVar("started", default=None)
    invoke, run = machines._invoke_resource_with_timeout, ecs._run_task

    def run_and_note(data: Any) -> Any:
        answer = run(data)
        arns = started.get()
        if arns is not None and answer[0] < 400:
            arns += [task["taskArn"] for task in json.loads(answer[2])["tasks"]]
        return answer

    def invoke_and_stop(resource: str, input_data: Any, timeout: Any) -> Any:
        if RUN_TASK not in resource:
            return invoke(resource, input_data, timeout)
        arns: list[str] = []
        token = started.set(arns)
        # Not in ministack's pool, whose threads the emulator waits for when it is stopped.
        ended: Future[Any] = Future()
        work = (copy_context(), ended, machines._invoke_resource, resource, input_data)
        threading.Thread(target=_complete_task, args=work, daemon=True).start()
        started.reset(token)
        try:
            return ended.result(timeout=timeout)
        except FutureTimeout:
            for arn in arns:
                ecs._stop_task({"cluster": input_data.get("Cluster", "default"), "task": arn})
            message = f"Task timed out after {timeout} seconds"
            raise machines._ExecutionError("States.Timeout", message) from None

    ecs._run_task, machines._invoke_resource_with_timeout = run_and_note, invoke_and_stop


def _complete_task(context: Context, ended: "Future[Any]", invoke: Any, *arguments: Any) -> None:
    try:
        ended.set_result(context.run(invoke, *arguments))
    except Exception as error:
        ended.set_exception(error)


def _run_task(ecs: Any, responses: Any, task: Any, scope: Any, slots: threading.Semaphore) -> None:
    arn = task["taskArn"]
    with responses.request_scope(*scope), slots:
        if task["lastStatus"] == "STOPPED":
            return
        definition = ecs._task_defs[ecs._resolve_td_key(task["taskDefinitionArn"])]
        (container,) = definition["containerDefinitions"]
        overrides = task["overrides"].get("containerOverrides", ())
        folder = Path(tempfile.mkdtemp(prefix="task-"))
        try:
            role = definition.get("taskRoleArn")
            rights = role_credentials(role) if role else {}
            child = _start_process(container, overrides, folder, scope[1], rights)
            _running[arn] = child
            code = child.wait()
            reason = "Essential container in task exited"
        except OSError as error:  # the command does not exist
            code, reason = 127, f"CannotStartContainerError: {error}"
        finally:
            _running.pop(arn, None)
            shutil.rmtree(folder, ignore_errors=True)
        ecs._mark_task_stopped(arn, task, reason, ESSENTIAL, SIGNALLED - code if code < 0 else code)


def _start_process(
    container: Mapping[str, Any],
    overrides: Any,
    folder: Path,
    region: str,
    rights: Mapping[str, str],
) -> "subprocess.Popen[bytes]":
    """Start the container's command as a process; its volumes are folders in `folder`."""
    declared = {item["name"]: item["value"] for item in container.get("environment", ())}
    command = [*container.get("entryPoint", ()), *container.get("command", ())]
    for override in overrides:
        if override["name"] == container["name"]:
            declared |= {item["name"]: item["value"] for item in override.get("environment", ())}
            command = override.get("command") or command
    for mount in container.get("mountPoints", ()):
        directory = folder / mount["sourceVolume"]
        directory.mkdir(exist_ok=True)
        declared = {
            name: f"{directory}{value[len(mount['containerPath']) :]}"
            if f"{value}/".startswith(f"{mount['containerPath']}/")
            else value
            for name, value in declared.items()
        }
    # In the emulator's own group, so that it ends with it; its log is the emulator's.
    return subprocess.Popen(
        command, cwd=REPOSITORY, env={**_base_environment(region), **rights, **declared}
    )


def _package_folders() -> list[str]:
    """Return the folders of what the image installs for ingest: here the Lambdas' own packages.

    The service's environment has none of them.
    """
    emulator = Path(os.environ["VITRINE_EMULATOR_PACKAGES"])
    layers = [emulator.parent / name / "python" for name in ("libvips", "powertools")]
    return [str(folder) for folder in (emulator, *layers)]


def _base_environment(region: str) -> dict[str, str]:
    """Return the variables that ECS and the container's image would provide."""
    port = os.environ.get("GATEWAY_PORT", "4566")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("AWS_") and name not in ROOT_CREDENTIALS
    }
    return kept | {
        "PATH": f"{REPOSITORY / '.venv' / 'bin'}:{os.environ.get('PATH', os.defpath)}",
        "HOME": os.environ.get("HOME", "/"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(_package_folders()),
        "AWS_ENDPOINT_URL": os.environ.get("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}"),
        "AWS_REGION": region,
        "AWS_DEFAULT_REGION": region,
    }


def _to_pascal_case(value: Any) -> Any:
    if isinstance(value, list):
        return [_to_pascal_case(item) for item in value]
    if isinstance(value, dict):
        return {name[:1].upper() + name[1:]: _to_pascal_case(item) for name, item in value.items()}
    return value
