"""`make audit` finds what tools find, and never takes silence for an answer."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "audit.py"
CLEAN = {"dependencies": [{"name": "x", "version": "1", "vulns": []}]}
FOUND = {"dependencies": [{"name": "x", "version": "1", "vulns": [{"id": "GHSA-1"}]}]}
SKIPPED = {"dependencies": [{"name": "x", "skip_reason": "not found on PyPI"}]}
"""Answers in the form of pip-audit 2.10.1."""
MODULE = {"vulnerabilities": {"lodash": {"severity": "high"}}}
NO_MODULE: dict[str, object] = {"vulnerabilities": {}}
"""Answers in the form of npm 10."""
REFUSED = {
    "message": "405 Method Not Allowed - POST https://registry.example.org/-/npm/v1/security"
}
"""Message of npm behind a proxy that knows no advisories."""


class Tools:
    """Programs of the tools' names: one answer about what is known, another about the rest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answers("pip-audit", FOUND, CLEAN)
        self.answers("npm", MODULE, NO_MODULE)
        self.answers("debsecan", "CVE-2014-0160 openssl (fixed)", "")
        # What scripts/container-engine runs podman with.
        self.answers("unshare", "", "Package: libc6")

    def answers(self, name: str, known: object, rest: object) -> None:
        for place, answer in (("known", known), ("rest", rest)):
            text = answer if isinstance(answer, str) else json.dumps(answer)
            (self.folder / f"{name}.{place}").write_text(f"{text}\n" if text else "")
        program = self.folder / name
        program.write_text(
            "#!/bin/sh\n"
            'case "$*|$PWD" in */known*) part=known ;; *) part=rest ;; esac\n'
            f'cat "{self.folder}/{name}.$part"\n'
        )
        program.chmod(0o755)

    def audit(self) -> subprocess.CompletedProcess[str]:
        variables = {
            "PATH": f"{self.folder}:/usr/bin:/bin",
            "VITRINE_CONTAINERS": str(self.folder / "containers"),
        }
        return subprocess.run(
            [sys.executable, SCRIPT],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
        )


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path)


@pytest.mark.slow
def test_what_has_no_vulnerabilities_is_said_of_every_lock_and_image(tools: Tools) -> None:
    done = tools.audit()
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    locks = list((SCRIPT.parents[1] / "requirements").glob("*.txt"))
    images = list((SCRIPT.parents[1] / "containers").glob("*/Dockerfile"))
    assert len(lines) == len(locks) + 1 + len(images)
    assert all(": no known vulnerabilities (" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "answer", "named"),
    [
        ("pip-audit", FOUND, "x 1: GHSA-1"),
        ("npm", MODULE, "lodash: high"),
        ("debsecan", "CVE-2026-1 libtiff6 (fixed)", "CVE-2026-1 libtiff6 (fixed)"),
    ],
)
def test_what_is_found_is_named_and_fails(
    tools: Tools, tool: str, answer: object, named: str
) -> None:
    known = {"pip-audit": FOUND, "npm": MODULE, "debsecan": "CVE-2014-0160 openssl (fixed)"}
    tools.answers(tool, known[tool], answer)
    done = tools.audit()
    assert done.returncode == 1
    assert f"\n    {named}\n" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "silence"), [("pip-audit", CLEAN), ("npm", NO_MODULE), ("debsecan", "")]
)
def test_a_tool_that_knows_no_advisory_of_what_has_one_fails(
    tools: Tools, tool: str, silence: object
) -> None:
    tools.answers(tool, silence, silence)
    done = tools.audit()
    assert done.returncode == 2
    assert f"NOT ASKED: {tool} finds nothing where there is something" in done.stdout
    # The others are asked all the same.
    assert "no known vulnerabilities" in done.stdout


def test_a_package_that_was_left_out_fails(tools: Tools) -> None:
    tools.answers("pip-audit", FOUND, SKIPPED)
    done = tools.audit()
    assert done.returncode == 2
    assert "requirements/gateway.txt: NOT ASKED: pip-audit left out x" in done.stdout


def test_a_tool_that_was_refused_reports_the_message(tools: Tools) -> None:
    tools.answers("npm", REFUSED, REFUSED)
    done = tools.audit()
    assert done.returncode == 2
    assert "package-lock.json: NOT ASKED: npm gave no answer but: " in done.stdout
    assert "405 Method Not Allowed" in done.stdout


def test_a_tool_that_is_not_there_fails(tools: Tools) -> None:
    (tools.folder / "pip-audit").unlink()
    done = tools.audit()
    assert done.returncode == 2
    assert "requirements/gateway.txt: NOT ASKED: pip-audit is not installed" in done.stdout


def test_an_image_that_is_not_built_fails(tools: Tools) -> None:
    tools.answers("unshare", "", "")
    done = tools.audit()
    assert done.returncode == 2
    assert "image nginx: NOT ASKED: there is no image localhost/vitrine-nginx" in done.stdout
