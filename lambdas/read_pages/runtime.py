"""The process of the Lambda, whose image is Debian's: `python3 -m lambdas.read_pages.runtime`.

It asks the Runtime API for events, as Lambda's own images do for a handler.
"""

import os
import time
from dataclasses import dataclass
from typing import Any

from lambdas.read_pages.handler import handler
from vitrine.deliver.function.runtime_api import Next, RuntimeApi
from vitrine.sources.ocr.page_folder import remove_abandoned


@dataclass(frozen=True)
class Context:
    """What a handler gets next to its event (Lambda, "Python context object")."""

    aws_request_id: str
    invoked_function_arn: str
    deadline_milliseconds: int
    function_name: str
    memory_limit_in_mb: int

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the event may still take."""
        return max(self.deadline_milliseconds - int(time.time() * 1_000), 0)


def main() -> None:
    """Answer event after event, until the environment ends. Raises RuntimeApiError."""
    remove_abandoned()
    api = RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"])
    while True:
        answer_next(api)


def answer_next(api: RuntimeApi) -> None:
    """Wait for one event and answer it. Raises RuntimeApiError."""
    waiting = api.next()
    try:
        answer = handler(waiting.event, _context(waiting))
    except Exception as error:
        api.fail(waiting.request_id, error)
    else:
        api.answer(waiting.request_id, answer)


def _context(waiting: Next) -> Any:
    return Context(
        aws_request_id=waiting.request_id,
        invoked_function_arn=waiting.function_arn,
        deadline_milliseconds=waiting.deadline_milliseconds,
        function_name=os.environ.get("AWS_LAMBDA_FUNCTION_NAME", ""),
        memory_limit_in_mb=int(os.environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "0")),
    )


if __name__ == "__main__":
    main()
