"""Logs as JSON lines on standard output, in the format of nginx's."""

import logging
import re
import time
from typing import Any

from vitrine.trace import current_trace
from vitrine.visible_text import to_json

_TICKET = re.compile(r"v1\.[a-z0-9]+\.[\w-]+\.[\w-]+", re.ASCII)
"""Tickets that vitrine/access/tickets.py signs. The templates of nginx repeat the expression."""


class JsonLines(logging.Formatter):
    """One line per record: time, level, logger, message, its own fields, and any traceback.

    Tickets, which may be in an address, are left out: anyone who reads the log could use them.
    `process` is the number of the gateway's process; 0: the one that watches the others.
    """

    def __init__(self, process: int = 0) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if self._process:
            line["process"] = self._process
        if trace := current_trace():
            line["trace"] = trace
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return _TICKET.sub("(ticket)", to_json(line, indent=None))


def logging_configuration(level: str, process: int = 0) -> dict[str, Any]:
    """Return the argument of logging.config.dictConfig; see JsonLines for `process`."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": JsonLines, "process": process}},
        "handlers": {
            "out": {
                "class": "logging.StreamHandler",
                "formatter": "json",
                "stream": "ext://sys.stdout",
            }
        },
        "root": {"level": "WARNING", "handlers": ["out"]},
        "loggers": {
            "vitrine": {"level": level},
            # One line a minute, from which metrics are made, whatever else is logged.
            "vitrine.deliver.metrics": {"level": "INFO"},
        },
    }
