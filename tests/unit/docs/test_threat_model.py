"""The threat model names a test for each threat, and each of them is there."""

import ast
import re
from collections.abc import Iterator

from docs.build.saved_runs import ROOT

PAGE = ROOT / "docs" / "explanations" / "threat-model.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
MIN_THREATS = 20


def rows() -> Iterator[str]:
    """The lines of the table of threats."""
    _, _, section = PAGE.read_text().partition("\n## Threats\n")
    section, _, _ = section.partition("\n## ")
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    assert lines[0] == "| threat | defence | test |"
    yield from lines[1:]


def test_every_threat_has_a_test_that_is_there() -> None:
    threats = list(rows())
    assert len(threats) >= MIN_THREATS
    for threat in threats:
        named = NAMED.findall(threat)
        assert named, threat
        for path, name in named:
            module = ast.parse((ROOT / path).read_text())
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            current = {item.name for item in module.body if isinstance(item, functions)}
            assert name in current, f"{path} has no {name}"
