"""Somebody who follows a run book: types its commands as they stand, on a service of this machine.

Of the page's words only those are changed that stand for what differs: the environment `prod` is
`dev` here, and what is written in capitals is what the page says to put in.
"""

import os
import re
import subprocess
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.local.machines import Machine
from vitrine.bootstrap.local_service import REPOSITORY

RUNBOOKS = REPOSITORY / "docs" / "runbooks"
AWS = REPOSITORY / ".build" / "awscli" / "bin"
BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
HERE = "make() { .venv/bin/vitrine up $PORTS; }\n[ ! -e names ] || . ./names\n"
AFTERWARDS = "\ncode=$?\ndeclare -p C R S T >names 2>/dev/null\nexit $code"


class Operator:
    """Somebody in a folder like the project's, whose AWS is the machine's emulator."""

    def __init__(self, machine: Machine, folder: Path) -> None:
        self._folder = folder
        (folder / ".venv").symlink_to(REPOSITORY / ".venv")
        (folder / ".vitrine").symlink_to(machine.directory)
        self._variables = machine.environment | {
            "PATH": f"{AWS}:{os.environ['PATH']}",
            "PORTS": " ".join(machine.options),
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{machine.options[-1]}",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_PAGER": "",
        }

    def type(self, text: str) -> str:
        """Return what the commands print; a name that one sets is there for the next."""
        # Where an environment of AWS is meant, it is this machine's.
        lines = text.replace(" --environment prod", "").replace("vitrine-prod-", "vitrine-dev-")
        done = subprocess.run(
            ["bash", "-c", HERE + lines + AFTERWARDS],
            cwd=self._folder,
            env=self._variables,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return done.stdout + done.stderr

    @contextmanager
    def following(self, page: str) -> Iterator["Following"]:
        """Follow a page to its end: a block that nobody typed is a failure."""
        followed = Following(self, page)
        yield followed
        assert not followed.left, f"{page} says more: {followed.left}"


class Following:
    """A page that is being followed."""

    def __init__(self, operator: Operator, page: str) -> None:
        self._operator = operator
        self.text = (RUNBOOKS / f"{page}.md").read_text()
        self.left = [textwrap.dedent(block) for block in BLOCK.findall(self.text)]

    def type_next(self, **values: str) -> str:
        """Type the page's next block, `values` in the place of its words in capitals."""
        block = self.left.pop(0)
        for name, value in values.items():
            # As a word of its own, or as a file's name: cert.pem.
            block, count = re.subn(rf"\b{re.escape(name)}(?![\w-])", value, block)
            assert count, f"{name} is not in {block!r}"
        return self._operator.type(block)

    def says(self, words: str) -> None:
        """Check that the page names what one sees."""
        assert words in self.text.replace("\n   ", " "), words
