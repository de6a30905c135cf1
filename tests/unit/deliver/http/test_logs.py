"""The gateway's log lines."""

import json
import logging

from vitrine.deliver.http.logs import JsonLines


def test_a_line_has_no_control_characters_and_says_all_the_same() -> None:
    hostile = "\x1b[2J\x9b31m\x7f\u202e\u2028\nforged"
    record = logging.LogRecord("vitrine", logging.ERROR, "", 0, "lost %s", (hostile,), None)
    record.fields = {"identifier": hostile}
    line = JsonLines().format(record)
    assert line.isprintable()
    entry = json.loads(line)
    assert (entry["message"], entry["identifier"]) == (f"lost {hostile}", hostile)
