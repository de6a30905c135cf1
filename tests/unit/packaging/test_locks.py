"""What is deployed has the versions that the tests have, each with its hashes."""

import re
from pathlib import Path

import pytest

REQUIREMENTS = Path(__file__).resolve().parents[3] / "requirements"
LOCKS = sorted(REQUIREMENTS.glob("*.txt"))
PIN = re.compile(r"^(\S+?)(?:\[\S+\])?==(\S+)", re.MULTILINE)


@pytest.mark.parametrize(
    "name", ["powertools", "libvips", "gateway", "converter", "ocr", "loadtest"]
)
def test_what_is_deployed_was_tested_in_that_version(name: str) -> None:
    """`make lock` binds these by dev.txt."""
    tested = set(PIN.findall((REQUIREMENTS / "dev.txt").read_text()))
    deployed = set(PIN.findall((REQUIREMENTS / f"{name}.txt").read_text()))
    assert deployed
    assert deployed <= tested


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_locks_name_versions_and_hashes_and_no_address(lock: Path) -> None:
    text = lock.read_text()
    assert "://" not in text
    for requirement in re.split(r"\n(?=\S)", text.strip()):
        assert PIN.match(requirement), requirement
        assert "--hash=sha256:" in requirement, requirement
