"""The certified OpenID Connect provider of npm's registry, as a process of tests."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rigs.free_port import free_port

PROGRAM = Path(__file__).with_suffix(".mjs")
ACCOUNTS = {"ada": {"groups": ["museum-staff"]}, "bob": {"groups": ["visitors"]}}


@contextmanager
def run_provider(
    callback: str, accounts: Mapping[str, Any] = ACCOUNTS, secret: str = ""
) -> Iterator[str]:
    """Run a provider that sends people back to `callback`; yield its issuer."""
    port = free_port()
    method = "client_secret_basic" if secret else "none"
    client = {
        "client_id": "vitrine",
        "token_endpoint_auth_method": method,
        "redirect_uris": [callback],
        **({"client_secret": secret} if secret else {}),
    }
    with _process([str(port), json.dumps([client]), json.dumps(accounts)]) as process:
        assert process.stdout
        line = process.stdout.readline()
        assert line == "ready\n", line
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _process(arguments: Sequence[str]) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        ["node", PROGRAM, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=PROGRAM.parents[1],
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
