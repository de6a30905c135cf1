"""Batches of SQS messages, with the answer that names the messages to be sent again."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

Parsed = TypeVar("Parsed")

_log = logging.getLogger(__name__)


def each_record(event: dict[str, Any], work: Callable[[str], object]) -> dict[str, Any]:
    """Do `work` on the body of every message; whatever it raises makes that one come again."""
    return parsed_records(event, work)[1]


def parsed_records(
    event: dict[str, Any], parse: Callable[[str], Parsed]
) -> tuple[list[Parsed], dict[str, Any]]:
    """What `parse` made of each body, and the partial batch response.

    A message that keeps failing goes to the dead letters with its reason in the log.
    """
    parsed: list[Parsed] = []
    failed: list[dict[str, str]] = []
    for record in event["Records"]:
        try:
            parsed.append(parse(record["body"]))
        except Exception:
            _log.exception("message %s failed", record["messageId"])
            failed.append({"itemIdentifier": record["messageId"]})
    return parsed, {"batchItemFailures": failed}
