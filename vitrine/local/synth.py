"""Runs of `app.py` as the CDK's command line does them, unless nothing that it reads changed.

`python -m vitrine.local.synth dev` is `make synth ENV=dev`. The service on this machine is the
environment dev as it comes: what `environments.toml` says about AWS has no place here.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from vitrine.bootstrap.local_service import REPOSITORY

INPUTS = (
    *("app.py", "cdk.json", "cdk.context.json", "stacks", "vitrine", "lambdas", "layers"),
    *("containers", "site", "package-lock.json", "requirements", "environments.toml"),
)

ASSET = re.compile(r"(?:asset\.)?([0-9a-f]{64})\b")
"""Name of an asset's copy, and of the archive that is made of it."""
LEFTOVER_SECONDS = 86_400
BANNER = re.compile(r"""b['"]!!.*""")
"""jsii passes on what its Node process prints line by line, as the repr of bytes."""


class SynthFailed(RuntimeError):
    """`app.py` failed; the message is the end of what it printed."""


def synthesize(
    environment: str,
    repository: Path = REPOSITORY,
    validate: bool = False,
    own: bool = False,
    flavour: str = "",
    doors: Collection[str] = (),
) -> Path:
    """Return the cloud assembly of `environment`, `cdk.out/<environment>`, made again if needed.

    `flavour` is that of an environment as it comes, and `doors` are those that it has: `photos`,
    `access`, `ocr=` with languages, and `text_proposals=` with an address; its assembly has a
    folder of its own. With `own` it is what `environments.toml` makes of the environment. With
    `validate` it is always made again, and the CDK checks the templates too, which doubles the
    time; the tests do that, so `up` need not. Then
    what the app says is printed, such as the price of an idle month. Raises SynthFailed.
    """
    names = [environment, *([flavour] if flavour else []), *sorted(doors)]
    folder = repository / "cdk.out" / re.sub(r"[^\w+=-]", "_", "-".join(names))
    folder.parent.mkdir(exist_ok=True)
    with folder.with_name("lock").open("w") as lock:  # two starts share the folder
        fcntl.flock(lock, fcntl.LOCK_EX)
        choice = {"environment": environment, "as-it-comes": str(not own).lower()}
        choice |= {"flavour": flavour} if flavour else {}
        for door in doors:
            name, _, value = door.partition("=")
            choice[name] = value or "true"
        _run_synthesis(choice, folder, repository, validate)
    return folder


def _run_synthesis(choice: dict[str, str], folder: Path, repository: Path, validate: bool) -> None:
    stamp = folder.with_name(f"{folder.name}.inputs")
    digest = f"{_digest_inputs(repository)} {choice}"
    if (
        not validate
        and stamp.exists()
        and stamp.read_text() == digest
        and (folder / "manifest.json").exists()
    ):
        return
    stamp.unlink(missing_ok=True)
    result = subprocess.run(
        [sys.executable, "app.py"],
        cwd=repository,
        env=node_environment()
        | {
            "CDK_OUTDIR": str(folder),
            "CDK_VALIDATION": str(validate).lower(),
            "CDK_CONTEXT_JSON": json.dumps(_read_context(repository) | choice),
        },
        capture_output=True,
        text=True,
    )
    if result.returncode:
        with contextlib.suppress(OSError):  # it holds an earlier assembly
            folder.rmdir()  # the CDK creates it before anything else
        raise SynthFailed(_without_banner(result.stdout + result.stderr)[-1000:])
    if validate:
        print(_without_banner(result.stderr), file=sys.stderr)
    _remove_leftovers(folder)
    stamp.write_text(digest)


def node_environment() -> dict[str, str]:
    """Return our environment, in which the CDK finds Node.js of the virtual environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path}


def _remove_leftovers(folder: Path) -> None:
    """Remove assets and templates of earlier assemblies, which the CDK leaves in the folder.

    Nothing younger than a day: another start may still be deploying it.
    """
    named = "".join(
        path.read_text() for path in (folder / "manifest.json", *folder.glob("*.assets.json"))
    )
    for path in folder.iterdir():
        asset = ASSET.match(path.name)
        is_known = asset[1] in named if asset else f'"{path.name}"' in named
        if is_known or not (asset or path.name.startswith("vitrine-")):
            continue
        if time.time() - path.stat().st_mtime > LEFTOVER_SECONDS:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _without_banner(text: str) -> str:
    """Return the output of the app without jsii's banner about the age of Node."""
    return "\n".join(line for line in text.splitlines() if not BANNER.match(line)).strip()


def _read_context(repository: Path) -> dict[str, object]:
    context: dict[str, object] = {}
    for name in ("cdk.json", "cdk.context.json"):
        path = repository / name
        if path.exists():
            read = json.loads(path.read_text())
            context |= read.get("context", {}) if name == "cdk.json" else read
    return context


def _digest_inputs(repository: Path) -> str:
    digest = hashlib.sha256()
    for path in _list_inputs(repository):
        digest.update(f"{path.relative_to(repository)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _list_inputs(repository: Path) -> Iterator[Path]:
    for name in INPUTS:
        root = repository / name
        found = [root] if root.is_file() else sorted(root.rglob("*"))
        yield from (path for path in found if path.is_file() and "__pycache__" not in path.parts)


if __name__ == "__main__":
    try:
        print(synthesize(sys.argv[1], validate=True, own=True))
    except SynthFailed as failure:
        sys.exit(str(failure))
