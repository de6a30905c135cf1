"""Nothing is imported that pyproject.toml does not declare for the part that imports it."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OURS = {"vitrine", "rigs", "loadtest", "capacity", "stacks", "lambdas", "layers", "docs"}
NAME = re.compile(r"^([\w.-]+)(?:\[([\w,]+)\])?")
TYPES_ONLY = "mypy_boto3_"
PARTS = {
    "vitrine/adapters": ("aws", "ingest"),
    "vitrine/bootstrap": ("aws",),
    "vitrine/deliver": ("deliver",),
    "vitrine/ingest": ("ingest",),
    "vitrine/cli": ("operate",),
    "vitrine/authorization": ("authorization",),
    "vitrine/mcp": ("mcp",),
    "vitrine/photos": ("photos",),
    "vitrine/statistics": ("statistics",),
    "vitrine/local": ("operate", "ingest"),
    "vitrine": ("operate", "ingest", "deliver"),
    "lambdas": ("ingest", "documents"),
    "rigs": ("loadtest",),
    "loadtest/locust": ("generate",),
    "loadtest/workload": ("generate",),
    "loadtest": ("loadtest",),
    "capacity": ("capacity",),
    "stacks": ("deploy",),
}
"""Folder -> the extras that somebody who runs it has installed."""


def declared(extra: str) -> set[str]:
    """Return the distributions of an extra, with those of the extras that it names."""
    found = set()
    for requirement in PROJECT["optional-dependencies"][extra]:
        match = NAME.match(requirement)
        assert match
        if match[1] == PROJECT["name"]:
            found |= set().union(*(declared(inner) for inner in match[2].split(",")))
        else:
            found.add(normalised(match[1]))
    return found


@cache
def installed() -> Mapping[str, list[str]]:
    """Return package -> distributions of this environment."""
    return packages_distributions()


def normalised(name: str) -> str:
    """Return a distribution's name as the index compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


@cache
def imported(folder: str) -> list[tuple[str, str]]:
    """Return (file, top-level package) for all imports of other people's packages."""
    return list(_imported(folder))


def _imported(folder: str) -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        inside = path.relative_to(ROOT).as_posix()
        if any(inside.startswith(f"{part}/") for part in PARTS if len(part) > len(folder)):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules = [node.module]
            else:
                continue
            for module in modules:
                top = module.partition(".")[0]
                if top not in OURS | sys.stdlib_module_names and not top.startswith(TYPES_ONLY):
                    yield inside, top


@pytest.mark.slow
@pytest.mark.parametrize("folder", PARTS)
def test_every_import_is_declared(folder: str) -> None:
    distributions = installed()
    available = set().union(*(declared(extra) for extra in PARTS[folder]))
    undeclared = [
        f"{file}: {package}"
        for file, package in imported(folder)
        if not {normalised(name) for name in distributions.get(package, [package])} & available
    ]
    assert not undeclared


@pytest.mark.slow
@pytest.mark.parametrize("extra", ["aws", "ingest", "deliver", "deploy", "capacity", "loadtest"])
def test_nothing_is_declared_that_is_not_imported(extra: str) -> None:
    """pyvips-binary is what pyvips loads, awscrt what botocore does; botocore and locust's own
    needs come with their users."""
    distributions = installed()
    used = {
        normalised(name)
        for folder in PARTS
        for _, package in imported(folder)
        for name in distributions.get(package, [])
    }
    assert declared(extra) - used <= {"pyvips-binary", "matplotlib", "awscrt"}
