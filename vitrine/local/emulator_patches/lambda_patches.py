"""Patches of ministack's Lambda and Step Functions; the package says what a patch is."""

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import Any

DEATH = re.compile(r"Worker process (died|exited immediately)|\[Errno 32\] Broken pipe")
"""ministack's messages for a process that was killed at work, at its start, or between calls."""

MAX_WINDOW_SECONDS = 5.0
"""Seconds that a batch of messages waits to become full, at most."""


def patches(parallel_tasks: int) -> dict[str, Callable[[], None]]:
    """Return the patches by name; at most `parallel_tasks` tasks use one function at a time."""
    return {
        "name_exceptions": name_exceptions,
        "name_deaths": name_deaths,
        "throttle_at_reserved_concurrency": throttle_at_reserved_concurrency,
        "limit_parallel_tasks": partial(limit_parallel_tasks, parallel_tasks),
        "start_at_once": start_at_once,
        "batch_items": batch_items,
        "gather_batches": gather_batches,
    }


def name_exceptions() -> None:
    """Report the class of a handler's exception as the invocation's errorType.

    ministack: `services/lambda_svc.py` says `Runtime.HandlerError` whatever was raised; the
    worker's script in `core/lambda_runtime.py` sends the message only.
    AWS: errorType is the name of the exception's class (Lambda, "Python function errors"), and
    Step Functions matches it in Retry and Catch ("Handling errors in Step Functions workflows").
    Symptom: no Retry or Catch of a state machine ever fits an error of ours; a rejected master
    is a failed execution.
    """
    runtime: Any = import_module("ministack.core.lambda_runtime")
    functions: Any = import_module("ministack.services.lambda_svc")
    sent = '"error": str(e), "trace"'
    if runtime._PYTHON_WORKER_SCRIPT.count(sent) != 1:
        raise RuntimeError("the Lambda worker's script is not the one this patch was written for")
    runtime._PYTHON_WORKER_SCRIPT = runtime._PYTHON_WORKER_SCRIPT.replace(
        sent, '"error_type": type(e).__name__, ' + sent
    )
    last = threading.local()
    invoke, execute = runtime.Worker.invoke, functions._execute_function_warm

    def invoke_and_note(worker: Any, *arguments: Any, **named: Any) -> Any:
        result = invoke(worker, *arguments, **named)
        last.error_type = result.get("error_type")
        return result

    def execute_and_name(func: Any, event: Any, request_id: str) -> Any:
        last.error_type = None
        result = execute(func, event, request_id)
        if result.get("error") and last.error_type:
            result["body"]["errorType"] = last.error_type
        return result

    runtime.Worker.invoke = invoke_and_note
    functions._execute_function_warm = execute_and_name


def name_deaths() -> None:
    """Report Runtime.ExitError for a Lambda whose process was killed.

    ministack: `services/lambda_svc.py` says `Runtime.HandlerError`, as of an exception in the
    handler, with a message about its worker process.
    AWS: errorType is Runtime.ExitError, which is also what running out of memory looks like
    (Lambda, "Troubleshoot invocation issues").
    Symptom: the Retry for killed conversions never fits.
    """
    functions: Any = import_module("ministack.services.lambda_svc")
    execute = functions._execute_function_warm

    def execute_and_name(func: Any, event: Any, request_id: str) -> Any:
        result = execute(func, event, request_id)
        if result.get("error") and DEATH.match(str(result["body"].get("errorMessage"))):
            result["body"] |= {
                "errorType": "Runtime.ExitError",
                "errorMessage": f"RequestId: {request_id} Error: Runtime exited with error: killed",
            }
        return result

    functions._execute_function_warm = execute_and_name


def throttle_at_reserved_concurrency() -> None:
    """Heed a template's ReservedConcurrentExecutions, and name the error of a throttled task.

    ministack: the number counts only if PutFunctionConcurrency has set it, since the handler of
    AWS::Lambda::Function in `services/cloudformation/provisioners.py` drops it; the task of a
    throttled function fails with `Lambda.Unknown`.
    AWS: a function is throttled at its reserved concurrency (Lambda, "Configuring reserved
    concurrency for a function"), and the task's error is Lambda.TooManyRequestsException (Step
    Functions, "Handle transient Lambda service exceptions").
    Symptom: deployed converters have no limit; where there is one, no Retry fits.
    """
    functions: Any = import_module("ministack.services.lambda_svc")
    machines: Any = import_module("ministack.services.stepfunctions")
    provisioners: Any = import_module("ministack.services.cloudformation.provisioners")
    handlers = provisioners._RESOURCE_HANDLERS["AWS::Lambda::Function"]
    create, update, call = handlers["create"], handlers["update"], machines._call_lambda

    def reserve(name: str, properties: Any) -> None:
        number = properties.get("ReservedConcurrentExecutions")
        functions._functions[name]["concurrency"] = None if number is None else int(number)

    def create_and_reserve(logical_id: str, properties: Any, stack: str) -> Any:
        result = create(logical_id, properties, stack)
        reserve(result[0], properties)
        return result

    def update_and_reserve(name: str, old: Any, new: Any, *rest: Any) -> Any:
        result = update(name, old, new, *rest)
        reserve(result[0] if isinstance(result, tuple) else name, new)
        return result

    def call_and_name(function: str, event: Any) -> Any:
        try:
            return call(function, event)
        except machines._ExecutionError as error:
            if "ConcurrentInvocationLimitExceeded" in str(error.cause):
                error.error = "Lambda.TooManyRequestsException"
            raise

    handlers |= {"create": create_and_reserve, "update": update_and_reserve}
    machines._call_lambda = call_and_name


def limit_parallel_tasks(parallel_tasks: int) -> None:
    """Run at most `parallel_tasks` tasks of state machines in one Lambda function at a time.

    ministack: starts one process for each task, as many as there are.
    AWS: does so too, up to the function's concurrency, and has the memory for it; beyond that it
    throttles, and the task's Retry waits (Lambda, "Understanding Lambda function scaling").
    Symptom: 100 uploads to one machine were 100 processes with 5.6 GB. If they were throttled,
    cores would be idle while Retry waits, so tasks queue, before their TimeoutSeconds counts. This
    is a choice for one machine rather than a defect to report.
    """
    machines: Any = import_module("ministack.services.stepfunctions")
    slots: dict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(parallel_tasks))
    admitted: ContextVar[bool] = ContextVar("admitted", default=False)

    def queued(invoke: Callable[..., Any]) -> Callable[..., Any]:
        def wait_and_invoke(resource: str, input_data: Any, *timeout: Any) -> Any:
            if admitted.get() or "lambda:invoke" not in resource:
                return invoke(resource, input_data, *timeout)
            with slots[str(input_data.get("FunctionName", ""))]:
                token = admitted.set(True)
                try:
                    return invoke(resource, input_data, *timeout)
                finally:
                    admitted.reset(token)

        return wait_and_invoke

    machines._invoke_resource = queued(machines._invoke_resource)
    machines._invoke_resource_with_timeout = queued(machines._invoke_resource_with_timeout)


def start_at_once() -> None:
    """Enter an execution's first state as soon as the execution is started.

    ministack: `_run_execution` in `services/stepfunctions.py` sleeps 0.15 s first.
    AWS: StartExecution "starts a state machine execution" (Step Functions, API reference), without
    a fixed delay.
    Symptom: every ingest on one machine takes 0.15 s longer.
    """
    machines: Any = import_module("ministack.services.stepfunctions")
    clock = vars(time) | {"sleep": lambda span: None if span == 0.15 else time.sleep(span)}
    machines.time = SimpleNamespace(**clock)


def batch_items() -> None:
    """Give each child of a Distributed Map the batch of items that its ItemBatcher says.

    ministack: `_run_distributed_map` in `services/stepfunctions.py` ignores ItemBatcher: a child
    has one item for its input.
    AWS: the input is an object with the items in `Items`, at most MaxItemsPerBatch of them, and
    with BatchInput (Step Functions, "ItemBatcher (Map)"). MaxInputBytesPerBatch is ignored here.
    Symptom: MigrateMaster fails at once, since its input is not a batch. The counts of a Map Run
    are of children, where those of AWS are of items.
    """
    machines: Any = import_module("ministack.services.stepfunctions")
    run = machines._run_distributed_map

    def run_batches(
        state: Any, raw_input: Any, effective: Any, iterator: Any, execution: Any, ctx: Any
    ) -> Any:
        batcher = state.get("ItemBatcher")
        if batcher is None:
            return run(state, raw_input, effective, iterator, execution, ctx)
        items = machines._read_map_items(state["ItemReader"], effective, ctx)
        common = machines._resolve_params_obj(batcher.get("BatchInput", {}), effective, ctx)
        size = int(batcher["MaxItemsPerBatch"])
        batches = [
            {"BatchInput": common, "Items": items[start : start + size]}
            for start in range(0, len(items), size)
        ]
        listed = {name: value for name, value in state.items() if name != "ItemReader"}
        return run({**listed, "ItemsPath": "$"}, raw_input, batches, iterator, execution, ctx)

    machines._run_distributed_map = run_batches


def gather_batches() -> None:
    """Invoke the worker of a queue with up to BatchSize messages, gathered for its window.

    ministack: `_receive_messages_for_esm` in `services/sqs.py` takes ten messages at most, and
    `_poll_sqs` in `services/lambda_svc.py` invokes as soon as there is one.
    AWS: takes up to 10,000 messages of a standard queue, and gathers them for
    MaximumBatchingWindowInSeconds (Lambda, "Creating and configuring an Amazon SQS event source
    mapping").
    Symptom: a table of a thousand objects updates the search a hundred times, and each time all
    objects are listed. Windows are cut to five seconds, which is a choice for one machine: nobody
    who publishes there waits two minutes for the search.
    """
    functions: Any = import_module("ministack.services.lambda_svc")
    queues: Any = import_module("ministack.services.sqs")

    def window_of(queue: Any) -> float:
        source = queue["attributes"].get("QueueArn")
        windows = (
            float(mapping.get("MaximumBatchingWindowInSeconds") or 0)
            for _, _, mapping in functions._iter_all_esms()
            if mapping.get("EventSourceArn") == source
        )
        return min(max(windows, default=0.0), MAX_WINDOW_SECONDS)

    def receive(queue_url: str, batch_size: Any) -> Any:
        with queues._queues_lock:
            queue, now = queues._get_q(queue_url), time.time()
            most = min(int(batch_size or 1), 10 if queue["is_fifo"] else 10_000)
            queues._expire_retained(queue)
            queues._dlq_sweep(queue)
            since = [moment for one in queue["messages"] if (moment := one["visible_at"]) <= now]
            if since and len(since) < most and now < min(since) + window_of(queue):
                return []
            seconds = int(queue["attributes"].get("VisibilityTimeout", "30"))
            return queues._collect_msgs(queue, most, seconds)

    queues._receive_messages_for_esm = receive
