"""The programs that the shell blocks of a page call, as bash reads these: no program runs."""

import re
import subprocess
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

from docs.build.saved_runs import ROOT

PAGES = sorted([*(ROOT / "docs/howto").glob("*.md"), *(ROOT / "docs/runbooks").glob("*.md")])
"""Pages that have somebody type something."""
OF_OPERATOR = re.compile(r"(?:^|\(|\s)(?:aws|npx cdk) [a-z]")
BLOCK = re.compile(r"^ *```sh\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
OF_OTHER_PAGES = {"C": "cluster", "S": "service", "T": "table"}
"""Variables that a run book takes from another page, which it names."""
END = "\0\1\0"
RECORD = r"""printf '%s\0' "$@" $'\1' >>"$CALLS"; echo answer"""
PROLOGUE = f"command_not_found_handle() {{ {RECORD}; }}\nkill() {{ :; }}\nset -u\n"
PROGRAM = '#!/bin/bash\nset -- ".venv/bin/${0##*/}" "$@"\n' + RECORD
SOURCED = r"""printf '%s\0' . .venv/bin/activate $'\1' >>$CALLS"""


def blocks_of(page: Path) -> list[str]:
    """Return the shell blocks of a page, without what indents them."""
    return [textwrap.dedent(block) for block in BLOCK.findall(page.read_text())]


def list_calls(blocks: list[str]) -> list[list[str]]:
    """Return the words of each call that the blocks make, one after the other in one shell.

    Of programs there are those of `.venv/bin` alone, and each records its words and says `answer`.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".venv/bin").mkdir(parents=True)
        for program in ("vitrine", "vitrine-loadtest", "vitrine-capacity"):
            path = folder / ".venv/bin" / program
            path.write_text(PROGRAM)
            path.chmod(0o755)
        (folder / ".venv/bin/activate").write_text(SOURCED)
        calls = folder / "calls"
        calls.touch()
        done = subprocess.run(
            ["/bin/bash", "--norc", "-c", PROLOGUE + "\n".join(blocks)],
            cwd=folder,
            env={"PATH": "/nonexistent", "CALLS": str(calls), **OF_OTHER_PAGES},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert not done.stderr, done.stderr
        return [call.split("\0") for call in calls.read_text().split(END)[:-1]]


def operator_calls(page: Path) -> list[list[str]]:
    """Return what a page has somebody type to AWS or to the CDK."""
    calls = list_calls([block for block in blocks_of(page) if OF_OPERATOR.search(block)])
    return [call for call in calls if call[0] == "aws" or call[:2] == ["npx", "cdk"]]
