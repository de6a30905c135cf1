"""Batches of SQS messages, and the response that names the messages to be delivered again."""

import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from vitrine.ports import MessageQueue, TakenMessage

Parsed = TypeVar("Parsed")

_log = logging.getLogger(__name__)


def process_records(
    event: dict[str, Any], work: Callable[[str], object], at_once: int = 1
) -> dict[str, Any]:
    """Call `work` with the body of every message; a message that raises is delivered again.

    `work` is called by `at_once` threads.
    """
    return parse_records(event, work, at_once)[1]


def parse_records(
    event: dict[str, Any], parse: Callable[[str], Parsed], at_once: int = 1
) -> tuple[list[Parsed], dict[str, Any]]:
    """Return what `parse` made of each body, and the partial batch response.

    A message that keeps failing goes to the dead-letter queue, with its reason in the log.
    """
    parsed: list[Parsed] = []
    failed: list[dict[str, str]] = []
    with ThreadPoolExecutor(at_once) as pool:
        tries = [(record, pool.submit(parse, record["body"])) for record in event["Records"]]
    for record, future in tries:
        try:
            parsed.append(future.result())
        except Exception:
            _log.exception("Message %s failed and will be delivered again", record["messageId"])
            failed.append({"itemIdentifier": record["messageId"]})
    return parsed, {"batchItemFailures": failed}


def give_one_back(event: dict[str, Any], queue: MessageQueue) -> dict[str, Any]:
    """Have one message of a batch delivered again at once, and return the partial batch response.

    The others are done with. It is the one that was received least often, since a message that is
    received too often goes to the dead-letter queue. Raises TransientError.
    """
    record = min(event["Records"], key=_count_receives)
    queue.give_back([TakenMessage(record["body"], "", record["receiptHandle"])])
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}


def find_last_receipt(event: dict[str, Any]) -> float:
    """Return when the last of a batch's messages left the queue first, in seconds since 1970."""
    name = "ApproximateFirstReceiveTimestamp"
    return max(int(record["attributes"][name]) for record in event["Records"]) / 1000


def _count_receives(record: dict[str, Any]) -> int:
    return int(record["attributes"]["ApproximateReceiveCount"])


def read_identifier(body: str) -> str:
    """Return the identifier in a message, an event as EventBridge delivers it.

    Raises KeyError, TypeError or ValueError for other messages.
    """
    return str(json.loads(body)["detail"]["identifier"])
