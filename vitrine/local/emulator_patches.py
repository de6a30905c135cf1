"""What ministack 1.5.33 does unlike AWS, and we depend on: one function per difference.

Applied by `emulator_launch.py` in the emulator's process, whose Python has not this package.
`tests/integration/local/test_emulator_patches.py` runs each promise with the patch and without,
and so tells when a newer ministack makes one unnecessary.
"""

import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextvars import ContextVar
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PINNED = "1.5.33"
DEATH = re.compile(r"Worker process (died|exited immediately)|\[Errno 32\] Broken pipe")
"""What ministack says of a Lambda's process that was killed: at work, at its start, in between."""
CHECKSUM_MODE = "x-amz-checksum-mode"

ACCEPTED_TYPES = (
    "AWS::ApplicationAutoScaling::ScalableTarget",
    "AWS::ApplicationAutoScaling::ScalingPolicy",
    "AWS::CloudFront::VpcOrigin",
    "AWS::EC2::EIP",
    "AWS::EC2::FlowLog",
    "AWS::EC2::NatGateway",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::Logs::Delivery",
    "AWS::Logs::DeliveryDestination",
    "AWS::Logs::DeliverySource",
    "AWS::ServiceCatalogAppRegistry::Application",
    "AWS::WAFv2::LoggingConfiguration",
    "AWS::WAFv2::WebACLAssociation",
)
"""CloudFormation types that the emulator does not know and that nothing here reads."""


def apply(parallel_tasks: int, without: frozenset[str] = frozenset()) -> None:
    """Apply every patch but `without`; `parallel_tasks` is per Lambda function.

    Raises RuntimeError for another ministack."""
    found = version("ministack")
    if found != PINNED:
        raise RuntimeError(f"the patches are written for ministack {PINNED}, this is {found}")
    patches: dict[str, Callable[[], None]] = {
        "name_exceptions": name_exceptions,
        "name_deaths": name_deaths,
        "throttle_at_reserved_concurrency": throttle_at_reserved_concurrency,
        "limit_parallel_tasks": lambda: limit_parallel_tasks(parallel_tasks),
        "start_at_once": start_at_once,
        "read_ranges_from_disk": read_ranges_from_disk,
        "keep_versions_on_disk": keep_versions_on_disk,
        "accept_types": accept_types,
        "keep_container_properties": keep_container_properties,
    }
    for name, patch in patches.items():
        if name not in without:
            patch()


def name_exceptions() -> None:
    """A failed handler's errorType is its exception's class name.

    AWS: an invocation's errorType is the exception's class (Lambda, "Python function errors"),
    and Step Functions matches it in Retry and Catch. ministack always says Runtime.HandlerError.
    """
    runtime: Any = import_module("ministack.core.lambda_runtime")
    functions: Any = import_module("ministack.services.lambda_svc")
    told = '"error": str(e), "trace"'
    if runtime._PYTHON_WORKER_SCRIPT.count(told) != 1:
        raise RuntimeError("the Lambda worker's script is not the one this patch was written for")
    runtime._PYTHON_WORKER_SCRIPT = runtime._PYTHON_WORKER_SCRIPT.replace(
        told, '"error_type": type(e).__name__, ' + told
    )
    seen = threading.local()
    invoke, execute = runtime.Worker.invoke, functions._execute_function_warm

    def invoke_and_note(worker: Any, *arguments: Any, **named: Any) -> Any:
        result = invoke(worker, *arguments, **named)
        seen.error_type = result.get("error_type")
        return result

    def execute_and_name(func: Any, event: Any, request_id: str) -> Any:
        seen.error_type = None
        result = execute(func, event, request_id)
        if result.get("error") and seen.error_type:
            result["body"]["errorType"] = seen.error_type
        return result

    runtime.Worker.invoke = invoke_and_note
    functions._execute_function_warm = execute_and_name


def name_deaths() -> None:
    """A Lambda whose process was killed fails with errorType Runtime.ExitError.

    AWS: Runtime.ExitError is what running out of memory looks like (Lambda, "Troubleshoot
    invocation issues"). ministack says Runtime.HandlerError, as of a fault in the handler.
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
    """A template's ReservedConcurrentExecutions counts, and a task that meets it can be retried.

    AWS: at its reserved concurrency a function is throttled (Lambda, "Configuring reserved
    concurrency"), and the task's error is Lambda.TooManyRequestsException (Step Functions,
    "Handle Lambda service exceptions"). ministack heeds the number only when it is set by
    PutFunctionConcurrency, and calls the error Lambda.Unknown.
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
    """At most `parallel_tasks` tasks of a state machine run in one Lambda function at a time.

    A machine is no cloud: 100 uploads were 100 processes with 5.6 GB. AWS would throttle, and its
    Retry wait while cores are idle; here tasks queue, before their TimeoutSeconds starts to count.
    """
    machines: Any = import_module("ministack.services.stepfunctions")
    places: dict[str, threading.Semaphore] = defaultdict(
        lambda: threading.Semaphore(parallel_tasks)
    )
    admitted: ContextVar[bool] = ContextVar("admitted", default=False)

    def queued(invoke: Callable[..., Any]) -> Callable[..., Any]:
        def wait_and_invoke(resource: str, input_data: Any, *timeout: Any) -> Any:
            if admitted.get() or "lambda:invoke" not in resource:
                return invoke(resource, input_data, *timeout)
            with places[str(input_data.get("FunctionName", ""))]:
                token = admitted.set(True)
                try:
                    return invoke(resource, input_data, *timeout)
                finally:
                    admitted.reset(token)

        return wait_and_invoke

    machines._invoke_resource = queued(machines._invoke_resource)
    machines._invoke_resource_with_timeout = queued(machines._invoke_resource_with_timeout)


def start_at_once() -> None:
    """An execution's first state begins when it is started.

    AWS: StartExecution "starts a state machine execution"; ministack sleeps 0.15 s first.
    """
    machines: Any = import_module("ministack.services.stepfunctions")
    clock = vars(time) | {"sleep": lambda span: None if span == 0.15 else time.sleep(span)}
    machines.time = SimpleNamespace(**clock)


class _BodyOnDisk:
    """An object's bytes, read only where asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __len__(self) -> int:
        return self.path.stat().st_size

    def __getitem__(self, part: slice) -> bytes:
        with self.path.open("rb") as body:
            body.seek(part.start)
            return body.read(part.stop - part.start)


def read_ranges_from_disk() -> None:
    """A GET of a range reads that range, and honours it for a named version too.

    AWS: "Downloads the specified byte range of an object" (S3, GetObject, Range). ministack reads
    all of it for each, and ignores Range beside versionId: a parallel download is a wrong file.
    """
    storage: Any = import_module("ministack.services.s3")
    ranged: ContextVar[bool] = ContextVar("ranged", default=False)
    get_object, read_body = storage._get_object, storage._read_body

    def read_lazily(bucket: str, key: str, item: Any) -> Any:
        if ranged.get() and item.get("body") is None:
            path = storage._object_disk_path(bucket, key)
            if path and Path(path).is_file():
                return _BodyOnDisk(Path(path))
        return read_body(bucket, key, item)

    def get_range(bucket: str, key: str, headers: Any, query: Any = None) -> Any:
        if not headers.get("range"):
            return get_object(bucket, key, headers, query)
        # A checksum is the whole object's: AWS sends none with a part of it.
        asked = {name: value for name, value in headers.items() if name != CHECKSUM_MODE}
        token = ranged.set(True)
        try:
            status, answer, body = get_object(bucket, key, asked, query)
        finally:
            ranged.reset(token)
        return (status, answer, body) if status != 200 else cut(headers["range"], answer, body)

    def cut(asked: str, answer: dict[str, str], body: Any) -> tuple[int, dict[str, str], bytes]:
        window = storage._parse_range(asked, len(body))
        if window is None:
            return 416, {"Content-Range": f"bytes */{len(body)}"}, b""
        answer["Content-Length"] = str(window[1] - window[0] + 1)
        answer["Content-Range"] = f"bytes {window[0]}-{window[1]}/{len(body)}"
        return 206, answer, body[window[0] : window[1] + 1]

    storage._read_body, storage._get_object = read_lazily, get_range


def keep_versions_on_disk() -> None:
    """An object of a versioned bucket takes no memory once it is on disk.

    AWS: a bucket holds any number of objects (S3, "Buckets overview"). ministack keeps the bytes
    of every version in memory, too.
    """
    storage: Any = import_module("ministack.services.s3")
    persist = storage._persist_object

    def persist_and_forget(bucket: str, key: str, item: Any) -> None:
        persist(bucket, key, item)
        if isinstance(item, dict) and item["body"] is None:  # it was written
            for entry in storage._object_versions.get((bucket, key), ()):
                entry["data"] = None

    storage._persist_object = persist_and_forget


def accept_types() -> None:
    """CloudFormation takes the types of `ACCEPTED_TYPES` and creates nothing for them.

    On AWS they do what does not happen on one machine. ministack refuses a template with one.
    """
    provisioners: Any = import_module("ministack.services.cloudformation.provisioners")

    def create(logical_id: str, properties: Any, stack: str) -> tuple[str, dict[str, str]]:
        name = f"{stack}-{logical_id}"
        return name, {"Id": name, "Arn": f"arn:aws:accepted:::{name}", "AllocationId": name}

    for kind in ACCEPTED_TYPES:
        provisioners._RESOURCE_HANDLERS.setdefault(
            kind, {"create": create, "delete": lambda name, properties: None}
        )


def keep_container_properties() -> None:
    """A task definition deployed from a template describes all of its containers' properties.

    AWS: DescribeTaskDefinition gives back what was registered. ministack leaves the names inside
    DependsOn and others as templates write them, so SDKs drop them.
    """
    provisioners: Any = import_module("ministack.services.cloudformation.provisioners")
    normalize = provisioners._normalize_container_defs
    provisioners._normalize_container_defs = lambda containers: provisioners._pascal_to_camel(
        normalize(containers)
    )
