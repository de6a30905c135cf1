"""Ask for known vulnerabilities of every lock and image: `make audit`.

Each tool is first asked about something that is known to be vulnerable. A tool that finds nothing
there did not reach its advisories, whatever it prints: pip-audit says "No known vulnerabilities
found" where an index keeps its answer, and npm where a proxy does. The exit code is 0 if all was
asked and nothing found, 1 if something was found, 2 if something could not be asked.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
IMAGES = ("nginx", "gateway", "iipsrv", "function", "converter", "ocr", "loadtest")
SUITE = "trixie"
"""Debian's release in the images."""
SECONDS = 600
"""The longest that a tool may take."""
VULNERABLE_PYTHON = "jinja2==2.4.1\n"
VULNERABLE_NODE = {
    "name": "canary",
    "lockfileVersion": 3,
    "packages": {
        "": {"name": "canary", "dependencies": {"lodash": "4.17.4"}},
        "node_modules/lodash": {"version": "4.17.4"},
    },
}
VULNERABLE_DEBIAN = """\
Package: openssl
Status: install ok installed
Architecture: amd64
Version: 1.0.1e-2
"""
OURS_OF_DEBIAN = """\
Package: iipimage-server
Status: install ok installed
Source: iipimage
Architecture: amd64
Version: 1.1-3

"""
"""iipsrv as `containers/iipsrv/build` makes it, which no package manager knows of."""


class NotAskedError(Exception):
    """Nobody can say whether there are vulnerabilities; the message says why."""


@dataclass(frozen=True)
class Tool:
    """`ask` returns a line for each vulnerability; `known` is something that has some."""

    name: str
    ask: Callable[[Path], list[str]]
    known: Callable[[Path], Path]
    """Write it into a folder, and return what to ask about."""

    def check_advisories(self, folder: Path) -> None:
        """Raise NotAskedError if the tool knows nothing of what is known."""
        folder = folder / "known"
        folder.mkdir(exist_ok=True)
        if not self.ask(self.known(folder)):
            raise NotAskedError(
                f"{self.name} finds nothing where there is something: it did not reach its "
                "advisories"
            )


def run(*words: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a tool. Raises NotAskedError: it is not there, or takes too long."""
    try:
        return subprocess.run(
            words, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except FileNotFoundError:
        raise NotAskedError(f"{words[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise NotAskedError(f"{words[0]} took more than {SECONDS} s") from None


def ask_pip_audit(lock: Path) -> list[str]:
    """Return the vulnerabilities of the packages of a lock. Raises NotAskedError."""
    done = run(
        *("pip-audit", "--disable-pip", "--no-deps", "--progress-spinner", "off"),
        *("--vulnerability-service", "osv", "--format", "json", "--requirement", lock),
    )
    answer = parse(done, "dependencies")
    skipped = [item["name"] for item in answer if "skip_reason" in item]
    if skipped:
        raise NotAskedError(f"pip-audit left out {', '.join(skipped)}")
    return [
        f"{item['name']} {item['version']}: {found['id']}"
        for item in answer
        for found in item["vulns"]
    ]


def ask_npm(folder: Path) -> list[str]:
    """Return the vulnerable modules of a folder's package-lock.json. Raises NotAskedError."""
    done = run("npm", "audit", "--package-lock-only", "--audit", "--json", folder=folder)
    found = parse(done, "vulnerabilities")
    return [f"{name}: {item['severity']}" for name, item in sorted(found.items())]


def parse(done: subprocess.CompletedProcess[str], part: str) -> "list | dict":
    """Return a part of a tool's answer. Raises NotAskedError: the answer has no such part."""
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    try:
        return answer[part]
    except (KeyError, TypeError):
        # npm says in its answer what went wrong, and elsewhere only where its log is.
        message = answer.get("message") if isinstance(answer, dict) else None
        said = message or (done.stderr.strip() or "nothing").splitlines()[-1]
        raise NotAskedError(f"{done.args[0]} gave no answer but: {said}") from None


def ask_debsecan(status: Path) -> list[str]:
    """Return the fixed vulnerabilities of the packages in a dpkg status file."""
    done = run(
        *("debsecan", "--suite", SUITE, "--status", status, "--only-fixed", "--format", "summary")
    )
    if done.returncode != 0:
        said = (done.stderr.strip() or "nothing").splitlines()[-1]
        raise NotAskedError(f"debsecan gave no answer but: {said}")
    return done.stdout.splitlines()


def image_packages(image: str, folder: Path) -> Path:
    """Write the status of an image's Debian packages. Raises NotAskedError: it is not built."""
    engine = ROOT / "scripts" / "container-engine"
    name = f"localhost/vitrine-{image}"
    read = ("cat", "/var/lib/dpkg/status")
    done = run(engine, "podman", "run", "--rm", "--network=host", "--entrypoint=", name, *read)
    if done.returncode != 0 or not done.stdout:
        raise NotAskedError(f"there is no image {name}: build it with scripts/build-containers")
    path = folder / image
    path.write_text(
        done.stdout.rstrip() + "\n\n" + (OURS_OF_DEBIAN if image in ("iipsrv", "function") else "")
    )
    return path


def write_known(name: str, text: str) -> Callable[[Path], Path]:
    """Return what writes a file of that name."""

    def known(folder: Path) -> Path:
        path = folder / name
        path.write_text(text)
        return path

    return known


def known_module(folder: Path) -> Path:
    """Write the lock of a vulnerable node module; return its folder."""
    write_known("package-lock.json", json.dumps(VULNERABLE_NODE))(folder)
    package = {"name": "canary", "dependencies": {"lodash": "4.17.4"}}
    write_known("package.json", json.dumps(package))(folder)
    return folder


def parts(folder: Path) -> Iterator[tuple[Tool, str, Callable[[], Path]]]:
    """Yield (tool, name of a part, what finds the part)."""
    pip_audit = Tool("pip-audit", ask_pip_audit, write_known("requirements.txt", VULNERABLE_PYTHON))
    for lock in LOCKS:
        yield pip_audit, f"requirements/{lock.name}", lambda lock=lock: lock
    yield Tool("npm", ask_npm, known_module), "package-lock.json", lambda: ROOT
    debsecan = Tool("debsecan", ask_debsecan, write_known("status", VULNERABLE_DEBIAN))
    for image in IMAGES:
        yield debsecan, f"image {image}", lambda image=image: image_packages(image, folder)


def audit(folder: Path) -> int:
    """Print a line for each part, with what was found; return the exit code."""
    code = 0
    trusted: dict[str, str] = {}
    for tool, name, find in parts(folder):
        if tool.name not in trusted:
            try:
                tool.check_advisories(folder)
                trusted[tool.name] = ""
            except NotAskedError as error:
                trusted[tool.name] = str(error)
        try:
            if trusted[tool.name]:
                raise NotAskedError(trusted[tool.name])
            found = tool.ask(find())
        except NotAskedError as error:
            print(f"{name}: NOT ASKED: {error}")
            code = 2
            continue
        print(f"{name}: {len(found) or 'no'} known vulnerabilities ({tool.name})")
        print("".join(f"    {line}\n" for line in found), end="")
        code = code or bool(found)
    return int(code)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(audit(Path(scratch)))
