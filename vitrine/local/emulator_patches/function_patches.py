"""Patches of ministack's Lambdas behind URLs; the package says what a patch is."""

import io
import threading
import zipfile
from collections import defaultdict
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from shlex import join, quote
from typing import Any

from .access_patches import DISTRIBUTION_HEADER

REPOSITORY = Path(__file__).resolve().parents[3]
STREAM = "application/vnd.awslambda.http-integration-response"
EDGE_ACTIONS = frozenset({"lambda:InvokeFunctionUrl", "lambda:InvokeFunction"})
"""Actions that a policy must allow CloudFront since October 2025 (Lambda, "Control access to Lambda
function URLs")."""
BOOTSTRAP = """#!/bin/sh
cd {repository}
export PATH={programs}:"$PATH":/usr/sbin
own=$(mktemp -d "${{TMPDIR:-/tmp}}/image.XXXXXX")
# The path of a socket may have 107 bytes; a link is a short way into a deep folder.
if [ "${{#own}}" -gt 60 ]; then
    short=$(mktemp -u /tmp/vitrine-XXXXXX)
    ln -s "$own" "$short"
    own=$short
fi
export VITRINE_WORK_DIRECTORY="$own${{VITRINE_WORK_DIRECTORY#/tmp}}"
exec {command}
"""


def patches(parallel_tasks: int) -> dict[str, Callable[[], None]]:
    """Return the patches by name; at most `parallel_tasks` environments of an image run at once."""
    return {
        "run_images": partial(run_images, parallel_tasks),
        "keep_streamed_bytes": keep_streamed_bytes,
        "let_the_edge_invoke": let_the_edge_invoke,
    }


def run_images(parallel_tasks: int) -> None:
    """Run the command of a function's image as a process, each with a /tmp of its own.

    ministack: `_execute_function_dispatch` in `services/lambda_svc.py` hands functions of images to
    Docker, whatever LAMBDA_EXECUTOR is.
    AWS: runs the image's command, which asks the Runtime API for events (Lambda, "Create a Lambda
    function using a container image").
    Symptom: without Docker, every request of a function that serves images is 502. Requests beyond
    `parallel_tasks` wait here, where AWS would start more environments: a choice for one machine.
    """
    functions: Any = import_module("ministack.services.lambda_svc")
    by_docker = functions._execute_function_docker
    slots: dict[str, threading.Semaphore] = defaultdict(lambda: threading.Semaphore(parallel_tasks))

    def execute(func: dict[str, Any], event: Any, request_id: str) -> Any:
        config = func.get("config") or func
        image = config.get("ImageConfigResponse", {}).get("ImageConfig", {})
        command = (*image.get("EntryPoint", ()), *image.get("Command", ()))
        if config.get("PackageType") != "Image" or not command:
            return by_docker(func, event, request_id)
        custom = {
            **func,
            "config": {**config, "Runtime": "provided.al2023"},
            "code_zip": _pack_bootstrap(command),
        }
        with slots[config["FunctionArn"]]:
            return functions._execute_function_provided_warm(custom, event, request_id)

    functions._execute_function_docker = execute


@lru_cache
def _pack_bootstrap(command: tuple[str, ...]) -> bytes:
    """Return what a custom runtime's package holds: a program that becomes the command."""
    text = BOOTSTRAP.format(
        repository=quote(str(REPOSITORY)),
        programs=quote(str(REPOSITORY / ".venv" / "bin")),
        command=join(command),
    )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        entry = zipfile.ZipInfo("bootstrap")
        entry.external_attr = 0o755 << 16
        packed.writestr(entry, text)
    return archive.getvalue()


def keep_streamed_bytes() -> None:
    """Pass on what a custom runtime streams as it is.

    ministack: `do_POST` of the Runtime API in `core/lambda_runtime.py` decodes it as JSON or
    UTF-8, and fails on what is neither, or puts replacement characters in its place.
    AWS: streams bytes (Lambda, "Response streaming for Lambda functions").
    Symptom: no image arrives whole.
    """
    runtime: Any = import_module("ministack.core.lambda_runtime")
    build = runtime.ProvidedWorker._build_handler_class

    def build_for_bytes(worker: Any, generation: int, pending: Any) -> Any:
        base = build(worker, generation, pending)

        class StreamHandler(base):  # type: ignore[misc,valid-type]
            def do_POST(self) -> None:
                match = runtime._INVOCATION_RESULT_RE.search(self.path)
                if self.headers.get("Content-Type") != STREAM or match is None:
                    super().do_POST()
                    return
                body = self._read_body()
                known = worker._record_result(generation, match[1], match[2], body)
                self._respond(202 if known else 400)

        return StreamHandler

    runtime.ProvidedWorker._build_handler_class = build_for_bytes


def let_the_edge_invoke() -> None:
    """Let the edge invoke a function by its URL, if the function's policy allows CloudFront to.

    ministack: has CloudFront's own requests in the process; another edge in front of it is
    anonymous, and a URL with AWS_IAM answers it 403.
    AWS: CloudFront signs as cloudfront.amazonaws.com for a distribution (CloudFront, "Restrict
    access to an AWS Lambda function URL origin"). Our edge names its distribution in a header.
    Symptom: every image is 403.
    """
    functions: Any = import_module("ministack.services.lambda_svc")
    handle, is_signed = functions.handle_function_url_request, functions._function_url_is_signed
    admitted: ContextVar[bool] = ContextVar("admitted", default=False)

    async def handle_for_edge(
        url_id: str, method: str, path: str, headers: dict[str, str], *rest: Any, **named: Any
    ) -> Any:
        distribution = headers.get(DISTRIBUTION_HEADER, "")
        token = admitted.set(
            bool(distribution) and _admits_distribution(functions, url_id, distribution)
        )
        try:
            return await handle(url_id, method, path, headers, *rest, **named)
        finally:
            admitted.reset(token)

    functions.handle_function_url_request = handle_for_edge
    functions._function_url_is_signed = lambda *request: admitted.get() or is_signed(*request)


def _admits_distribution(functions: Any, url_id: str, distribution: str) -> bool:
    """Return True if the policy of a URL's function allows a distribution all that it needs."""
    resolved = functions.resolve_function_url(url_id)
    if resolved is None:
        return False
    account, region, name, qualifier, _ = resolved
    record, _, _ = functions._get_func_record_for_ref_in_scope(
        f"{name}:{qualifier}" if qualifier else name, account_id=account, region=region
    )
    allowed = {
        statement.get("Action")
        for statement in (record or {}).get("policy", {}).get("Statement", ())
        if statement.get("Effect") == "Allow"
        and statement.get("Principal") == {"Service": "cloudfront.amazonaws.com"}
        and distribution in str(statement.get("Condition", {}))
    }
    return allowed >= EDGE_ACTIONS
