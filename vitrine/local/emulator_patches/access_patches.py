"""Patches of who may do what (AUTH of ministack); the package says what a patch is.

The emulator checks every signed call of a Lambda or a task against the deployed policies of its
role, as AWS does: what a role lacks fails here as well. Our own `test` credentials are the
account's root and may do everything.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

TASK_CREDENTIALS = "/v2/credentials/"
DISTRIBUTION_HEADER = "x-edge-distribution"
_MACHINE = r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?"
_OWN_HOST = re.compile(rf"{_MACHINE}|[a-z0-9]+\.lambda-url\.[a-z0-9-]+\.on\.aws")
"""Names of this machine, and of its functions, which our edge calls by them."""
_OWN_ORIGIN = re.compile(rf"http://{_MACHINE}")


def patches() -> dict[str, Callable[[], None]]:
    """Return the patches by name."""
    return {
        "give_tasks_their_role": give_tasks_their_role,
        "let_the_edge_read": let_the_edge_read,
        "refuse_pages_of_others": refuse_pages_of_others,
        "count_as_encrypted": count_as_encrypted,
        "know_the_source_of_events": know_the_source_of_events,
        "match_any_character": match_any_character,
        "take_a_batch_for_its_action": take_a_batch_for_its_action,
        "hold_map_runs_against_policies": hold_map_runs_against_policies,
    }


def give_tasks_their_role() -> None:
    """Answer `/v2/credentials/<role>` with credentials of that role.

    ministack: `_ecs_task_credentials_doc` in `services/imds.py` invents keys of nobody, and tasks
    without Docker do not know the address.
    AWS: a task gets the credentials of its task role from an address in its environment (ECS,
    "Amazon ECS task IAM role").
    Symptom: no task may do anything.
    """
    metadata: Any = import_module("ministack.services.imds")
    roles: Any = import_module("ministack.services.iam")
    answer = metadata.handle_request

    async def answer_with_role(method: str, path: str, *request: Any) -> Any:
        role = roles._roles.get(path.removeprefix(TASK_CREDENTIALS))
        if method.upper() != "GET" or not path.startswith(TASK_CREDENTIALS) or role is None:
            return await answer(method, path, *request)
        keys = role_credentials(role["Arn"])
        document = {
            "AccessKeyId": keys["AWS_ACCESS_KEY_ID"],
            "SecretAccessKey": keys["AWS_SECRET_ACCESS_KEY"],
            "Token": keys["AWS_SESSION_TOKEN"],
            "Expiration": metadata._future(6 * 3_600),
            "RoleArn": role["Arn"],
        }
        return 200, {"Content-Type": "application/json"}, json.dumps(document).encode()

    metadata.handle_request = answer_with_role


def role_credentials(role: str) -> dict[str, str]:
    """Return the variables with which a task has the rights of a role, by its ARN."""
    runtime: Any = import_module("ministack.core.lambda_runtime")
    responses: Any = import_module("ministack.core.responses")
    function = f"arn:aws:lambda:{responses.get_region()}:{responses.get_account_id()}:function:task"
    # Of a function, it looks at these three.
    configuration = {"FunctionArn": function, "FunctionName": "task", "Role": role}
    credentials: dict[str, str] = runtime.execution_credentials(configuration)
    return credentials


def let_the_edge_read() -> None:
    """Let the edge read what a bucket's policy allows CloudFront to read.

    ministack: has CloudFront's own reads in the process (`_cloudfront_origin_allows` in
    `services/s3.py`); another edge in front of it is anonymous, and is refused with AUTH.
    AWS: CloudFront signs as cloudfront.amazonaws.com for a distribution (CloudFront, "Restrict
    access to an Amazon S3 origin"). Our edge names its distribution in a header instead.
    Symptom: with AUTH, the site is 403.
    """
    storage: Any = import_module("ministack.services.s3")
    allows = storage._foreign_bucket_allows

    def allows_edge(owner: str, bucket: str, key: str, method: str, *request: Any) -> bool:
        if allows(owner, bucket, key, method, *request):
            return True
        _, caller, headers = (*request, None)[:3]
        distribution = (headers or {}).get(DISTRIBUTION_HEADER, "")
        if caller or not distribution or method not in ("GET", "HEAD") or not key:
            return False
        allowed: bool = storage._cloudfront_origin_allows(owner, bucket, key, distribution, "")
        return allowed

    storage._foreign_bucket_allows = allows_edge


def refuse_pages_of_others() -> None:
    """Answer 403 to pages that a browser got from elsewhere, by whatever name they come here.

    ministack: answers every Host and Origin, and takes the account's root for who he says he is
    (`app` in `app.py`; `core/iam_evaluator.py`, "root keys are not checked").
    AWS: nobody signs for the root without its key (IAM, "AWS Signature Version 4").
    Symptom: a page that somebody visits while the service runs deletes its queues by a form, and
    reads its buckets if its name leads to 127.0.0.1 (DNS rebinding). What our edge passes on, it
    has judged itself, and says so by a header that no page can send without asking.
    """
    emulator: Any = import_module("ministack.app")
    answer = emulator.app

    async def answer_ours(scope: Any, receive: Any, send: Any) -> None:
        named = {
            name.decode("latin-1"): one.decode("latin-1") for name, one in scope.get("headers", ())
        }
        if scope["type"] not in ("http", "websocket") or _is_ours(named):
            await answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await send({"type": "http.response.start", "status": 403, "headers": []})
            await send({"type": "http.response.body", "body": b"This is not for pages of others."})

    emulator.app = answer_ours


def _is_ours(headers: dict[str, str]) -> bool:
    """Return True for a request of a program, of our edge, or of a page of this machine."""
    if not _OWN_HOST.fullmatch(headers.get("host", "127.0.0.1")):
        return False
    if DISTRIBUTION_HEADER in headers:
        return True
    if origin := headers.get("origin"):
        return bool(_OWN_ORIGIN.fullmatch(origin))
    # A picture of a page has no origin; the site of an address such as 127.0.0.1 is its host.
    return headers.get("sec-fetch-site", "none") in ("none", "same-origin", "same-site")


def count_as_encrypted() -> None:
    """Take every connection for an encrypted one: here all of them stay on 127.0.0.1.

    ministack: takes a connection for encrypted only if a proxy says so (`pin_request_origin` in
    `app.py`), and speaks HTTP.
    AWS: is asked over HTTPS, which our buckets' policies demand (S3, "aws:SecureTransport").
    Symptom: no Lambda may read or write any bucket.
    """
    emulator: Any = import_module("ministack.app")
    pin = emulator.pin_request_origin
    emulator.pin_request_origin = lambda address, _encrypted: pin(address, True)


def know_the_source_of_events() -> None:
    """Tell a policy's conditions the source of the events that are sent.

    ministack: no call of PutEvents has the key `events:source` (`core/iam_actions.py`).
    AWS: a policy can restrict the source (EventBridge, "Using IAM policy conditions").
    Symptom: no Lambda may report an image that it published.
    """
    actions: Any = import_module("ministack.core.iam_actions")
    context_of = actions.request_tag_context

    def context_with_source(service: str, action: str, body: bytes, parameters: Any) -> Any:
        context = context_of(service, action, body, parameters)
        if action == "events:PutEvents":
            entries = json.loads(body or b"{}").get("Entries", ())
            sources = sorted({str(entry.get("Source", "")) for entry in entries})
            context = {**context, "events:source": sources[0] if len(sources) == 1 else sources}
        return context

    actions.request_tag_context = context_with_source


def match_any_character() -> None:
    """Let a policy's `*` and `?` stand for any character, a line's end too.

    ministack: `_fnmatch_compile` in `core/iam_evaluator.py` compiles them without DOTALL.
    AWS: `*` is "any combination of characters" (IAM, "Resource": keys may hold a line's end).
    Symptom: no Lambda may read a master whose key holds a line's end.
    """
    evaluator: Any = import_module("ministack.core.iam_evaluator")
    compile_pattern = evaluator._fnmatch_compile

    def compile_for_all_characters(pattern: str, ignore_case: bool) -> re.Pattern[str]:
        compiled = compile_pattern(pattern, ignore_case)
        return re.compile(compiled.pattern, compiled.flags | re.DOTALL)

    evaluator._fnmatch_compile = lru_cache(4_096)(compile_for_all_characters)


def take_a_batch_for_its_action() -> None:
    """Let who may delete one message delete ten at once; likewise for the other batches of SQS.

    ministack: `extract_iam_action` in `core/iam_actions.py` takes the operation's name for the
    action, such as `sqs:DeleteMessageBatch`, which a policy cannot name.
    AWS: the permission is `sqs:DeleteMessage` (SQS, "Amazon SQS API permissions").
    Symptom: no patrol may delete what S3 reported and it has followed.
    """
    actions: Any = import_module("ministack.core.iam_actions")
    extract = actions.extract_iam_action

    def extract_single(service: str, *request: Any, **options: Any) -> Any:
        action = extract(service, *request, **options)
        return action.removesuffix("Batch") if service == "sqs" and action else action

    actions.extract_iam_action = extract_single


def hold_map_runs_against_policies() -> None:
    """Hold the Map Run that a call is about against a policy's resources.

    ministack: `extract_resource_arn` in `core/iam_actions.py` takes a call about a Map Run for one
    about everything (`*`).
    AWS: the resource of DescribeMapRun and UpdateMapRun is the Map Run (Step Functions, "Actions,
    resources, and condition keys").
    Symptom: no curator may follow a migration.
    """
    actions: Any = import_module("ministack.core.iam_actions")
    extract = actions.extract_resource_arn

    def extract_map_run(
        service: str, method: str, path: str, headers: Any, body: bytes, *request: Any
    ) -> Any:
        if service == "states" and (run := actions._safe_json_field(body, "mapRunArn")):
            return run
        return extract(service, method, path, headers, body, *request)

    actions.extract_resource_arn = extract_map_run
