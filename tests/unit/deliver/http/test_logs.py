"""The gateway's log lines."""

import json
import logging.config
import sys
from collections.abc import Iterator

import pytest

from vitrine.access.keys import Keys
from vitrine.access.tickets import Ticket, sign_ticket
from vitrine.deliver.http.logs import JsonLines, logging_configuration


@pytest.fixture
def _loggers() -> Iterator[None]:
    """Give the loggers back as they were."""
    root, ours = logging.getLogger(), logging.getLogger("vitrine")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def test_a_line_has_no_control_characters_and_says_all_the_same() -> None:
    hostile = "\x1b[2J\x9b31m\x7f\u202e\u2028\nforged"
    record = logging.LogRecord("vitrine", logging.ERROR, "", 0, "lost %s", (hostile,), None)
    record.fields = {"identifier": hostile}
    line = JsonLines().format(record)
    assert line.isprintable()
    entry = json.loads(line)
    assert (entry["message"], entry["identifier"]) == (f"lost {hostile}", hostile)


def test_no_line_has_a_ticket() -> None:
    ticket = sign_ticket(Ticket(issued_at=1, expires_at=2, rights=("staff",)), Keys.create())
    path = f"/restricted/staff/{ticket}/iiif/3/a/info.json"
    try:
        raise ValueError(path)
    except ValueError:
        failed = sys.exc_info()
    record = logging.LogRecord("vitrine", logging.ERROR, "", 0, "while %s", (path,), failed)
    record.fields = {"uri": f"{path}?{ticket}"}
    line = JsonLines().format(record)
    entry = json.loads(line)
    assert entry["message"] == "while /restricted/staff/(ticket)/iiif/3/a/info.json"
    assert entry["uri"] == "/restricted/staff/(ticket)/iiif/3/a/info.json?(ticket)"
    assert "ValueError: /restricted/staff/(ticket)/iiif" in entry["traceback"]
    assert "v1." not in line


@pytest.mark.usefixtures("_loggers")
def test_the_configuration_writes_lines_of_json_at_the_level_of_the_settings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    logging.config.dictConfig(logging_configuration("INFO", process=2))
    logging.getLogger("vitrine.deliver").debug("not shown")
    logging.getLogger("vitrine.deliver").info("shown")
    (line,) = capsys.readouterr().out.splitlines()
    entry = json.loads(line)
    assert (entry["message"], entry["process"]) == ("shown", 2)
