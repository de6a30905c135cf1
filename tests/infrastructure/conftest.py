"""Templates of every environment, synthesized once, without the CDK's own slow validation.

They are kept in `.build/templates` until a file changes that they are made of. Every worker reads
this file, so the CDK, which starts Node, is imported by those who synthesize.
"""

import fcntl
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from layers.build import PLATFORMS, REPOSITORY, build
from stacks.designs import ENVIRONMENTS
from stacks.environments import Environment
from tests.infrastructure.own_values import OPERATED, PUBLISHED

if TYPE_CHECKING:
    from tests.infrastructure.templates import Templates


KEPT = REPOSITORY / ".build" / "templates"
MADE_OF = ("stacks", "layers", "lambdas", "vitrine", "containers", "site", "requirements")
"""Folders whose files decide what a template says: assets are named by their contents."""
OTHER_FILES = (
    "cdk.json",
    "environments.toml",
    "package-lock.json",
    "tests/infrastructure/templates.py",
)


def _digest() -> str:
    """Return the SHA-256 of all that templates are made of, in the work tree as it is."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]
    command = [*listed, *MADE_OF, *OTHER_FILES]
    names = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True).stdout
    digest = sha256()
    for name in sorted(names.decode().split("\0")):
        path = REPOSITORY / name
        digest.update(f"{name}\0".encode() + (path.read_bytes() if path.is_file() else b"") + b"\0")
    return digest.hexdigest()[:16]


@pytest.fixture(scope="session")
def synthesize() -> Callable[[Environment], "Templates"]:
    """A function that synthesizes an environment, each one once in all of xdist's workers."""
    from tests.infrastructure.templates import Templates, write_templates

    for architecture in PLATFORMS:
        build(architecture)
    known: dict[str, Templates] = {}
    shared = KEPT / _digest()
    shared.mkdir(parents=True, exist_ok=True)
    for other in KEPT.iterdir():
        if other != shared:
            shutil.rmtree(other, ignore_errors=True)

    def synthesized(environment: Environment) -> Templates:
        key = repr(environment)
        if key not in known:
            folder = shared / sha256(key.encode()).hexdigest()[:16]
            with folder.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not (folder / "manifest.json").exists():
                    write_templates(environment, folder)
            known[key] = Templates(environment, folder)
        return known[key]

    return synthesized


@pytest.fixture(scope="session", params=ENVIRONMENTS)
def templates(
    request: pytest.FixtureRequest, synthesize: Callable[[Environment], "Templates"]
) -> "Templates":
    """The templates of each environment in turn."""
    return synthesize(ENVIRONMENTS[request.param])


@pytest.fixture(scope="session")
def dev(synthesize: Callable[[Environment], "Templates"]) -> "Templates":
    """The environment that also runs on one machine."""
    return synthesize(ENVIRONMENTS["dev"])


@pytest.fixture(scope="session")
def prod(synthesize: Callable[[Environment], "Templates"]) -> "Templates":
    """The protected environment."""
    return synthesize(ENVIRONMENTS["prod"])


@pytest.fixture(scope="session")
def published(
    templates: "Templates", synthesize: Callable[[Environment], "Templates"]
) -> "Templates":
    """Those of `templates` with what a museum says of its page and its curators."""
    return synthesize(replace(templates.environment, **PUBLISHED))


@pytest.fixture(scope="session")
def operated(synthesize: Callable[[Environment], "Templates"]) -> "Templates":
    """The templates of dev with what an operator adds, none of which is about another."""
    return synthesize(replace(ENVIRONMENTS["dev"], **OPERATED))
